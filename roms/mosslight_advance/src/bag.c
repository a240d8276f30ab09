/* The bag's contents, with their keyed counts, and what medicine does. */
#include "battle.h"

#define STACK_MAX 99

struct ItemSlot *pocket_slots(u8 pocket, u8 *capacity)
{
    struct SaveBlock1 *save = SAVE1;
    switch (pocket) {
    case POCKET_BALLS: *capacity = COUNT(save->balls); return save->balls;
    case POCKET_MACHINES: *capacity = COUNT(save->machines); return save->machines;
    case POCKET_BERRIES: *capacity = COUNT(save->berries); return save->berries;
    case POCKET_KEY: *capacity = COUNT(save->keyItems); return save->keyItems;
    default: *capacity = COUNT(save->items); return save->items;
    }
}

static u16 key(void)
{
    return SAVE2->encryptionKey;
}

u8 pocket_length(u8 pocket)
{
    u8 capacity, length = 0;
    const struct ItemSlot *slots = pocket_slots(pocket, &capacity);
    while (length < capacity && slots[length].itemId) ++length;
    return length;
}

/* Its place in its pocket, or the first free one (id 0); NULL: neither. */
static struct ItemSlot *find(u16 item)
{
    u8 capacity, i;
    struct ItemSlot *slots = pocket_slots(gItems[item].pocket, &capacity);
    for (i = 0; i < capacity; ++i)
        if (slots[i].itemId == item || !slots[i].itemId) return &slots[i];
    return NULL;
}

u16 item_count(u16 item)
{
    const struct ItemSlot *slot = find(item);
    return slot && slot->itemId ? slot->quantity ^ key() : 0;
}

bool item_add(u16 item, u16 n)
{
    struct ItemSlot *slot = find(item);
    u16 held = item_count(item);
    if (!slot || held + n > STACK_MAX) return false;
    slot->itemId = item;
    slot->quantity = (held + n) ^ key();
    return true;
}

/* The others close up; an empty place has the number 0 and the count 0 under the key. */
static void take_out(u16 item)
{
    u8 capacity, i = 0;
    struct ItemSlot *slots = pocket_slots(gItems[item].pocket, &capacity);
    while (slots[i].itemId != item) ++i;
    for (; i + 1 < capacity; ++i) slots[i] = slots[i + 1];
    slots[i].itemId = 0;
    slots[i].quantity = key();
}

bool item_remove(u16 item, u16 n)
{
    u16 held = item_count(item);
    if (held < n || !held) return false;
    if (held == n) take_out(item);
    else find(item)->quantity = (held - n) ^ key();
    return true;
}

/* ---- medicine ---- */

static u32 cured_status(u16 item)
{
    switch (item) {
    case ITEM_ANTIDOTE: return STATUS_POISON;
    case ITEM_LOOSENER: return STATUS_PARALYSIS;
    case ITEM_WAKE_BELL: return STATUS_SLEEP;
    default: return 0;
    }
}

static bool drink(struct Mon *mon, u8 points)
{
    if (!points || !mon->hp || mon->hp == mon->maxHp) return false;
    mon->hp = MIN(mon->hp + points, mon->maxHp);
    return true;
}

static bool cure(struct Mon *mon, u32 status)
{
    if (!mon->hp || !(mon->status & status)) return false;
    mon->status &= ~status;
    return true;
}

bool item_use_on(u16 item, u8 index)
{
    struct Mon *mon = &gPlayerParty[index];
    u16 before = mon->hp;
    if (!drink(mon, gItems[item].holdParam) && !cure(mon, cured_status(item))) {
        battle_text(T("It would have no effect."));
        return false;
    }
    item_remove(item, 1);
    party_drain(index, before);
    party_redraw(index);
    announce(mon_name(mon), T(" feels better!"));
    return true;
}
