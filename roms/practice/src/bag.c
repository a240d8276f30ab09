/* Money and the bag's contents, in RAM as Crystal keeps them, and what medicine does. */
#include "battle.h"

#define STACK_MAX 99
#define MONEY_MAX 65535U /* three bytes in RAM, of which the first stays 0 */
#define POTION_HP 20

/* ---- money ---- */

u16 purse(void)
{
    return wMoney[0] ? MONEY_MAX : get16(wMoney + 1);
}

void purse_set(u16 amount)
{
    wMoney[0] = 0;
    set16(wMoney + 1, amount);
}

void money_add(u16 amount) __banked
{
    u16 money = purse();
    purse_set(amount < MONEY_MAX - money ? money + amount : MONEY_MAX);
}

u8 money_sub(u16 amount) __banked
{
    u16 money = purse();
    if (money < amount) return 0;
    purse_set(money - amount);
    return 1;
}

/* ---- pockets ---- */

typedef struct {
    u8 *count;   /* followed by the entries and 0xFF */
    u8 size;     /* bytes an entry: id and quantity, key items the id alone */
    u8 capacity;
} PocketPlace;

static const PocketPlace places[] = {
    {(u8 *)&wNumItems, 2, 20},
    {(u8 *)&wNumBalls, 2, 12},
    {(u8 *)&wNumKeyItems, 1, 25},
};

u8 item_row(u8 item)
{
    u8 row = 0;
    while (row < ITEM_COUNT - 1 && item_table[row][IT_ID] != item) ++row;
    return row;
}

u8 item_pocket(u8 item)
{
    return item_table[item_row(item)][IT_POCKET];
}

u16 item_price(u8 item)
{
    return get16(item_table[item_row(item)] + IT_PRICE_HIGH);
}

u8 *pocket_entry(u8 pocket, u8 index)
{
    return places[pocket].count + 1 + index * places[pocket].size;
}

u8 pocket_length(u8 pocket)
{
    return *places[pocket].count;
}

/* What find() found: the item's pocket and its entry there, or the pocket's end. */
static const PocketPlace *place;
static u8 *entry;

static u8 find(u8 item)
{
    u8 left;
    place = places + item_pocket(item);
    entry = place->count + 1;
    for (left = *place->count; left; --left) {
        if (*entry == item) return 1;
        entry += place->size;
    }
    return 0;
}

u8 item_count(u8 item) __banked
{
    if (!find(item)) return 0;
    return place->size == 1 ? 1 : entry[1];
}

u8 item_add(u8 item, u8 quantity) __banked
{
    if (find(item)) {
        if (place->size == 1 || entry[1] + quantity > STACK_MAX) return 0;
        entry[1] += quantity;
        return 1;
    }
    if (*place->count >= place->capacity) return 0;
    ++*place->count;
    *entry++ = item;
    if (place->size == 2) *entry++ = quantity;
    *entry = 0xFF;
    return 1;
}

u8 item_remove(u8 item, u8 quantity) __banked
{
    const u8 *next;
    if (item_count(item) < quantity) return 0;
    if (place->size == 2) {
        entry[1] -= quantity;
        if (entry[1]) return 1;
    }
    --*place->count;
    next = entry + place->size;
    do *entry++ = *next++;
    while (entry[-1] != 0xFF); /* no id and no quantity is 0xFF */
    return 1;
}

/* ---- medicine ---- */

static u8 cured_status(u8 item)
{
    if (item == ITEM_ANTIDOTE) return STATUS_POISON;
    if (item == ITEM_LOOSENER) return STATUS_PARALYSIS;
    if (item == ITEM_WAKE_BELL) return STATUS_SLEEP;
    return 0;
}

static u8 drink(void)
{
    u16 now = get16(mon.hp), max = get16(mon.max_hp);
    if (!now || now == max) return 0;
    set16(mon.hp, max - now > POTION_HP ? now + POTION_HP : max);
    return 1;
}

u8 item_use_on(u8 item, u8 index)
{
    u8 works;
    mon_load(index);
    if (item == ITEM_POTION) {
        works = drink();
    } else {
        works = mon.status & cured_status(item);
        mon.status &= ~cured_status(item);
    }
    if (!works) {
        battle_text("It would have no effect.");
        return 0;
    }
    mon_store(index);
    item_remove(item, 1);
    party_row(index);
    announce(party_nick(index), " feels better!");
    return 1;
}
