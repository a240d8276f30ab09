/* A shop's counter: the list with prices, then how many. */
#include "battle.h"

#define FADE 6
#define QUANTITY_MAX 99
#define STOCK_MOST 12
#define LEAVE (-2)

struct Entry { const u8 *name; s32 id; };

/* How a list's task tells a reader what it lists and where the cursor is. */
struct ListTask { Callback function; u8 active, pad5[3]; const struct Entry *entries; u8 padC[8]; u16 count, pad16[5], scroll, row, pad24[2]; };
_Static_assert(sizeof(struct ListTask) == sizeof(struct Task), "ListTask");
_Static_assert(offsetof(struct ListTask, count) == 0x14, "count");
_Static_assert(offsetof(struct ListTask, scroll) == 0x20, "scroll");

/* The same for the question how many. */
struct QuantityTask { Callback function; u8 active, pad5[5]; u16 quantity, padC[3], item, pad14[10]; };
_Static_assert(sizeof(struct QuantityTask) == sizeof(struct Task), "QuantityTask");
_Static_assert(offsetof(struct QuantityTask, quantity) == 0x0A, "quantity");
_Static_assert(offsetof(struct QuantityTask, item) == 0x12, "item");

static EWRAM_DATA struct Entry entries[STOCK_MOST + 1];
static u8 count; /* of the entries, the last one leaves */
static volatile struct ListTask *task;
static u8 choice;

void print_price(s16 right, s16 y, u32 amount)
{
    ui_number_right(right - 8, y, amount, INK_TEXT);
    ui_print(right - 7, y, T("c"), INK_TEXT);
}

static void list_stock(const u16 *items)
{
    for (count = 0; items[count] && count < STOCK_MOST; ++count) {
        entries[count].name = gItems[items[count]].name;
        entries[count].id = items[count];
    }
    entries[count].name = T("LEAVE");
    entries[count++].id = LEAVE;
}

static void draw_entry(u8 index, s16 x, s16 y)
{
    ui_print(x, y, entries[index].name, INK_TEXT);
    if (entries[index].id != LEAVE) print_price(LIST_X + LIST_W - 10, y, gItems[entries[index].id].price);
}

static void draw_purse(void)
{
    ui_box(2, 2, 90, 38);
    ui_print(12, 7, T("MONEY"), INK_TEXT);
    print_price(84, 21, money_get());
}

static void point_at(u8 top, u8 row)
{
    s32 id = entries[top + row].id;
    task->scroll = top;
    task->row = row;
    ui_clear_rect(2, 68, 90, 42);
    ui_box(2, LIST_TEXT_Y, SCREEN_W - 4, SCREEN_H - LIST_TEXT_Y);
    if (id == LEAVE) {
        ui_print(14, LIST_TEXT_Y + 8, T("Come again!"), INK_TEXT);
        return;
    }
    print_lines(14, LIST_TEXT_Y + 8, gItems[id].description);
    ui_box(2, 68, 90, 42);
    ui_print(12, 74, T("IN BAG"), INK_TEXT);
    ui_number_right(82, 88, item_count(id), INK_TEXT);
}

void ListMenuDummyTask(void)
{
    const struct List how = {LIST_X + 8, 9, LIST_W - 16, LIST_STEP, LIST_ROWS, count, 0, draw_entry, point_at};
    choice = list_menu(&how, task->scroll + task->row);
}

/* ---- how many ---- */

static u8 quantity, most;
static u16 price;
static volatile struct QuantityTask *asking;

static u8 changed(u16 pressed)
{
    if (pressed & KEY_UP) return quantity < most ? quantity + 1 : 1;
    if (pressed & KEY_DOWN) return quantity > 1 ? quantity - 1 : most;
    if (pressed & KEY_RIGHT) return MIN(quantity + 10, most);
    if (pressed & KEY_LEFT) return quantity > 10 ? quantity - 10 : 1;
    return quantity;
}

/* Leaves 0 when B was pressed. */
void Task_BuyHowManyDialogueHandleInput(void)
{
    quantity = 1;
    do {
        asking->quantity = quantity;
        ui_box(LIST_X + 20, 80, LIST_W - 20, 30);
        ui_print(LIST_X + 30, 89, T("×"), INK_TEXT);
        ui_number(LIST_X + 38, 89, quantity, INK_TEXT);
        print_price(LIST_X + LIST_W - 10, 89, price * quantity);
        do wait_frame(); while (!gMain.newAndRepeatedKeys);
        quantity = changed(gMain.newAndRepeatedKeys);
        if (gMain.newKeys & KEY_B) quantity = 0;
    } while (!(gMain.newKeys & (KEY_A | KEY_B)));
}

static void ask_quantity(u16 item)
{
    ui_keep();
    asking = (volatile struct QuantityTask *)&gTasks[task_begin(Task_BuyHowManyDialogueHandleInput)];
    asking->item = item;
    Task_BuyHowManyDialogueHandleInput();
    task_end(Task_BuyHowManyDialogueHandleInput);
    ui_restore();
}

static void buy(u16 item)
{
    u16 held = item_count(item);
    u32 affordable;
    price = gItems[item].price;
    affordable = money_get() / price;
    most = MIN(affordable, (u32)(QUANTITY_MAX - held));
    if (!most) {
        battle_text(held == QUANTITY_MAX ? T("You cannot carry more.") : T("You cannot pay for that."));
        return;
    }
    ask_quantity(item);
    if (!quantity) return;
    if (!item_add(item, quantity)) {
        battle_text(T("Your bag is full."));
        return;
    }
    money_set(money_get() - price * quantity);
    draw_purse();
    battle_text(T("Here you are. Thank you!"));
}

void CB2_BuyMenu(void)
{
    u16 scroll = 0, row = 0;
    for (;;) {
        task = (volatile struct ListTask *)&gTasks[task_begin(ListMenuDummyTask)];
        task->entries = entries;
        task->count = count;
        task->scroll = scroll;
        task->row = row;
        ListMenuDummyTask();
        scroll = task->scroll;
        row = task->row;
        task_end(ListMenuDummyTask);
        if (choice == MENU_CANCEL || entries[choice].id == LEAVE) return;
        buy(entries[choice].id);
    }
}

void shop(u8 list)
{
    fade_out(FADE);
    list_stock(shops[list]);
    set_mode(CB2_BuyMenu);
    screen_open(&backdrop_screen);
    draw_purse();
    ui_box(LIST_X, 2, LIST_W, LIST_H);
    enter(CB2_BuyMenu);
    fade_out(FADE);
}
