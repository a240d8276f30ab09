/* The 128 KB flash memory: two slots of 14 sectors, written in turn, marked as Emerald marks them.
 * A sector has 4096 bytes: 3968 of data, then number, sum, signature and the count of savings. */
#include "hardware.h"

#define SECTOR_SIZE 4096
#define DATA_SIZE 0xF80
#define SECTORS 14
#define SECTORS_A_BANK 16
#define SIGNATURE 0x08012025u
#define FIRST_STORAGE 5
#define STORAGE_SIZE 0x83D0u
#define ERASED 0xFF
#define TRIES 0x100000 /* polls until a byte is given up */

struct Sector {
    u8 data[DATA_SIZE];
    u8 pad[0xFF4 - DATA_SIZE];
    u16 id, checksum;
    u32 signature, counter;
};
_Static_assert(sizeof(struct Sector) == SECTOR_SIZE, "Sector");
_Static_assert(offsetof(struct Sector, signature) == 0xFF8, "signature");

extern volatile u32 gSaveCounter;
extern u8 *volatile gPokemonStoragePtr;

static EWRAM_DATA struct Sector sector;
static u8 first_sector; /* of the present slot: where sector 0 lies */

/* ---- the chip ---- */

static void command(u8 value)
{
    FLASH[0x5555] = 0xAA;
    FLASH[0x2AAA] = 0x55;
    FLASH[0x5555] = value;
}

/* An emulator knows by the first access whether the cartridge has flash memory: ask for its name. */
static void wake(void)
{
    command(0x90);
    (void)FLASH[0];
    command(0xF0);
}

static volatile u8 *sector_address(u8 number)
{
    command(0xB0);
    FLASH[0] = number / SECTORS_A_BANK;
    return FLASH + number % SECTORS_A_BANK * SECTOR_SIZE;
}

static bool reads_as(volatile u8 *at, u8 value)
{
    for (u32 i = 0; i < TRIES; i++)
        if (*at == value) return true;
    return false;
}

static bool write_sector(u8 number)
{
    volatile u8 *at = sector_address(number);
    const u8 *bytes = (const u8 *)&sector;
    command(0x80);
    FLASH[0x5555] = 0xAA;
    FLASH[0x2AAA] = 0x55;
    *at = 0x30;
    if (!reads_as(at, ERASED)) return false;
    for (u16 i = 0; i < SECTOR_SIZE; i++) {
        if (bytes[i] == ERASED) continue;
        command(0xA0);
        at[i] = bytes[i];
        if (!reads_as(at + i, bytes[i])) return false;
    }
    return true;
}

static void read_sector(u8 number)
{
    volatile u8 *at = sector_address(number);
    u8 *bytes = (u8 *)&sector;
    for (u16 i = 0; i < SECTOR_SIZE; i++) bytes[i] = at[i];
}

/* ---- what lies in a sector ---- */

static u8 *part(u8 id, u16 *size)
{
    u32 whole = sizeof(struct SaveBlock2), offset = 0;
    u8 *start = (u8 *)SAVE2;
    if (id >= FIRST_STORAGE) {
        start = gPokemonStoragePtr;
        whole = STORAGE_SIZE;
        offset = (id - FIRST_STORAGE) * DATA_SIZE;
    } else if (id) {
        start = (u8 *)SAVE1;
        whole = sizeof(struct SaveBlock1);
        offset = (id - 1) * DATA_SIZE;
    }
    *size = MIN(whole - offset, DATA_SIZE);
    return start + offset;
}

static u16 checksum(u16 size)
{
    const u32 *words = (const u32 *)sector.data;
    u32 sum = 0;
    for (u16 i = 0; i < size / 4; i++) sum += words[i];
    return (sum >> 16) + sum;
}

/* ---- saving ---- */

static u8 place_of(u8 id, u32 counter)
{
    return (id + first_sector) % SECTORS + SECTORS * (counter & 1);
}

static bool save_part(u8 id)
{
    u16 size;
    const u8 *data = part(id, &size);
    memset(&sector, 0, sizeof sector);
    memcpy(sector.data, data, size);
    sector.id = id;
    sector.checksum = checksum(size);
    sector.signature = SIGNATURE;
    sector.counter = gSaveCounter;
    return write_sector(place_of(id, gSaveCounter));
}

bool save_game(void)
{
    SAVE1->savedPartyCount = gPlayerPartyCount;
    memcpy(SAVE1->savedParty, gPlayerParty, sizeof gPlayerParty);
    memcpy(SAVE1->objectEvents, gObjectEvents, sizeof SAVE1->objectEvents);
    wake();
    first_sector = (first_sector + 1) % SECTORS;
    gSaveCounter++;
    gSaveFileStatus = 0;
    for (u8 id = 0; id < SECTORS; id++) {
        if (!save_part(id)) return false;
        wait_frame();
    }
    gSaveFileStatus = 1;
    return true;
}

/* ---- loading ---- */

/* Whether all parts lie in a slot, and the count of savings then. */
static bool slot_counter(u8 slot, u32 *counter)
{
    u16 found = 0;
    for (u8 i = 0; i < SECTORS; i++) {
        u16 size;
        read_sector(slot * SECTORS + i);
        if (sector.signature != SIGNATURE || sector.id >= SECTORS) continue;
        part(sector.id, &size);
        if (checksum(size) != sector.checksum) continue;
        found |= 1 << sector.id;
        *counter = sector.counter;
    }
    return found == (1 << SECTORS) - 1;
}

static void load_slot(u8 slot)
{
    for (u8 i = 0; i < SECTORS; i++) {
        u16 size;
        u8 *to;
        read_sector(slot * SECTORS + i);
        to = part(sector.id, &size);
        memcpy(to, sector.data, size);
        if (sector.id == 0) first_sector = i;
    }
}

bool load_game(void)
{
    u32 counters[2];
    bool whole[2];
    u8 slot;
    save_blocks_place();
    wake();
    for (slot = 0; slot < 2; slot++) whole[slot] = slot_counter(slot, &counters[slot]);
    if (!whole[0] && !whole[1]) return false;
    slot = !whole[0] || (whole[1] && (s32)(counters[1] - counters[0]) > 0);
    load_slot(slot);
    gSaveCounter = counters[slot];
    gSaveFileStatus = 1;
    gPlayerPartyCount = SAVE1->savedPartyCount;
    memcpy(gPlayerParty, SAVE1->savedParty, sizeof gPlayerParty);
    return true;
}
