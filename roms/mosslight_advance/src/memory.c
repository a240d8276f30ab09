/* The save blocks, which move and change their key as Emerald's do, and what lies in them. */
#include "hardware.h"

#define SLACK 0x80
#define BLOCK1_SIZE sizeof(struct SaveBlock1)
#define BLOCK2_SIZE sizeof(struct SaveBlock2)
#define MONEY_MOST 999999u
#define VARS_START 0x4000

extern u8 gSaveblock1[], gSaveblock2[], gPokemonStorage[];
extern u8 *volatile gPokemonStoragePtr;

_Static_assert(sizeof(struct SaveBlock1) == 0x3D88, "SaveBlock1");
_Static_assert(sizeof(struct SaveBlock2) == 0xF2C, "SaveBlock2");

static void change_quantities(struct ItemSlot *slots, u8 count, u16 change)
{
    for (; count; count--, slots++) slots->quantity ^= change;
}

/* Everything that is stored exclusive-or the key; pcItems are not. */
static void change_key(u32 key)
{
    u32 change = SAVE2->encryptionKey ^ key;
    struct SaveBlock1 *save = SAVE1;
    save->money ^= change;
    save->coins ^= (u16)change;
    change_quantities(save->items, COUNT(save->items), change);
    change_quantities(save->keyItems, COUNT(save->keyItems), change);
    change_quantities(save->balls, COUNT(save->balls), change);
    change_quantities(save->machines, COUNT(save->machines), change);
    change_quantities(save->berries, COUNT(save->berries), change);
    for (u8 i = 0; i < COUNT(save->gameStats); i++) save->gameStats[i] ^= change;
    SAVE2->encryptionKey = key;
}

static void place(u32 offset)
{
    SAVE1 = (struct SaveBlock1 *)(gSaveblock1 + offset);
    SAVE2 = (struct SaveBlock2 *)(gSaveblock2 + offset);
    gPokemonStoragePtr = gPokemonStorage + offset;
}

static u32 random_offset(void)
{
    return rnd() & (SLACK - 4);
}

static u32 random_key(void)
{
    u32 high = rnd();
    return high << 16 | rnd();
}

void save_blocks_place(void)
{
    place(random_offset());
}

/* This and moving happen within one frame: a reader of the memory between frames never sees half of it. */
void save_blocks_new(void)
{
    wait_frame();
    memset(gSaveblock1, 0, BLOCK1_SIZE + SLACK);
    memset(gSaveblock2, 0, BLOCK2_SIZE + SLACK);
    save_blocks_place();
    change_key(random_key());
}

/* The areas overlap: from the end when it goes up. */
static void move(void *to, const void *from, u32 bytes)
{
    u32 down = to > from ? DMA_DESCENDING : 0, last = down ? bytes - 4 : 0;
    REG_DMA3_FROM = (u32)from + last;
    REG_DMA3_TO = (u32)to + last;
    REG_DMA3_CONTROL = DMA_WORDS | down | bytes / 4;
}

void save_blocks_move(void)
{
    const struct SaveBlock1 *old1 = SAVE1;
    const struct SaveBlock2 *old2 = SAVE2;
    wait_frame();
    save_blocks_place();
    move(SAVE1, old1, BLOCK1_SIZE);
    move(SAVE2, old2, BLOCK2_SIZE);
    change_key(random_key());
}

bool flag_get(u16 flag)
{
    return SAVE1->flags[flag >> 3] >> (flag & 7) & 1;
}

void flag_set(u16 flag)
{
    SAVE1->flags[flag >> 3] |= 1 << (flag & 7);
}

u16 var_get(u16 var)
{
    return SAVE1->vars[var - VARS_START];
}

void var_set(u16 var, u16 value)
{
    SAVE1->vars[var - VARS_START] = value;
}

u32 money_get(void)
{
    return SAVE1->money ^ SAVE2->encryptionKey;
}

void money_set(u32 amount)
{
    SAVE1->money = MIN(amount, MONEY_MOST) ^ SAVE2->encryptionKey;
}

void stat_add(u8 stat, u32 n)
{
    u32 key = SAVE2->encryptionKey;
    SAVE1->gameStats[stat] = ((SAVE1->gameStats[stat] ^ key) + n) ^ key;
}
