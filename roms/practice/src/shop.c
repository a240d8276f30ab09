/* A shop's counter: list with prices, then how many. */
#include "battle.h"

#define QUANTITY_MAX 99
#define STOCK_END 0xFF

static const u8 *stock;

void print_price(u8 x, u8 y, u16 amount)
{
    print_num(x, y, amount, 5);
    print_at(x + 5, y, "c");
}

static u8 stock_size(void)
{
    u8 n = 0;
    while (stock[n] != STOCK_END) ++n;
    return n;
}

static void draw_purse(void)
{
    draw_box(10, 0, 10, 3);
    print_price(12, 1, purse());
    flush_rows(0, 3);
}

static void draw_entry(u8 index, u8 y)
{
    u8 item = stock[index];
    fill_rect(1, y, 18, 1, TILE_SPACE, PAL_TEXT);
    if (item == STOCK_END) {
        print_at(2, y, "LEAVE");
        return;
    }
    print_name(2, y, item_names[item_row(item)]);
    print_price(13, y, item_price(item));
}

static void point_at(u8 index)
{
    wMenuSelection = stock[index];
    fill_rect(1, 16, 18, 1, TILE_SPACE, PAL_TEXT);
    if (stock[index] != STOCK_END) {
        print_at(1, 16, "You have");
        print_num(10, 16, item_count(stock[index]), 2);
    }
    flush_rect(1, 16, 18, 1);
}

static void draw_shop(void)
{
    clear_tilemap();
    draw_box(0, 0, 10, 3);
    print_at(2, 1, "SHOP");
    draw_purse();
    draw_box(0, 3, SCREEN_W, 9);
    draw_box(0, 12, SCREEN_W, 6);
    print_at(1, 14, "What will it be?");
    flush_all();
}

static u8 changed(u8 quantity, u8 most)
{
    if (hJoyPressed & PAD_UP) return quantity < most ? quantity + 1 : 1;
    if (hJoyPressed & PAD_DOWN) return quantity > 1 ? quantity - 1 : most;
    return quantity;
}

/* 0 when B was pressed. */
static u8 ask_quantity(u16 price, u8 most)
{
    u8 quantity = 1;
    window_push();
    menu_border(9, 8, 11, 19);
    draw_box(8, 9, 12, 3);
    wMenuCursorX = wMenuCursorY = w2DMenuNumRows = w2DMenuNumCols = 1;
    do {
        put_tile(9, 10, 0xF1, PAL_TEXT);
        print_num(10, 10, quantity, 2);
        print_price(13, 10, price * quantity);
        flush_rect(8, 9, 12, 3);
        do poll_frame(); while (!hJoyPressed);
        quantity = changed(quantity, most);
        if (hJoyPressed & PAD_B) quantity = 0;
    } while (!(hJoyPressed & (PAD_A | PAD_B)));
    wMenuCursorX = wMenuCursorY = 0;
    window_pop();
    return quantity;
}

static void buy(u8 item)
{
    u16 price = item_price(item);
    u8 held = item_count(item), most = 0, quantity;
    u16 money = purse();
    for (; most < QUANTITY_MAX - held && money >= price; ++most) money -= price;
    if (!most) {
        say_str(held == QUANTITY_MAX ? "You cannot carry more." : "You cannot pay for that.");
        return;
    }
    quantity = ask_quantity(price, most);
    if (!quantity) return;
    if (!item_add(item, quantity)) {
        say_str("Your bag is full.");
        return;
    }
    money_sub(price * quantity);
    battle_text("Here you are. Thank you!");
}

void shop(u8 list) __banked
{
    static const List how = {1, 4, 2, 4, 0, draw_entry, point_at};
    u8 choice = 0;
    stock = shop_lists[list];
    window_push();
    sprites_hide();
    for (;;) {
        draw_shop();
        choice = list_menu(&how, stock_size() + 1, choice);
        if (choice == MENU_CANCEL || stock[choice] == STOCK_END) break;
        buy(stock[choice]);
    }
    window_pop();
    overworld_redraw();
}
