/* Creatures as they are stored: the encrypted form, statistics, the party, the list of those known.
 * Formulas as published for generation III; all species grow by the cube of the level. */
#include "battle.h"

#define LANGUAGE_ENGLISH 2
#define MON_PRESENT 2        /* in Mon.flags */
#define FRIENDSHIP 70
#define MET_GAME (3 << 7)    /* in metInfo, over the level */
#define MET_BALL (4 << 11)
#define NATURES 25
#define IV_MASK 31
#define BLOCKS 4
#define BLOCK_WORDS 3

union Secure {
    struct MonData data;
    u32 words[BLOCKS * BLOCK_WORDS];
    u16 halves[BLOCKS * BLOCK_WORDS * 2];
};

/* ---- the stored form ---- */

/* Where each block (growth, attacks, EVs, miscellaneous) lies: the permutations in their natural
 * order, the one numbered personality % 24. */
static void find_places(u32 personality, u8 *place)
{
    u8 left[BLOCKS] = {0, 1, 2, 3}, count = BLOCKS, ways = 6, at, pick, i;
    u8 rest = personality % 24;
    for (at = 0; at < BLOCKS; ++at) {
        pick = rest / ways;
        rest %= ways;
        place[left[pick]] = at;
        --count;
        for (i = pick; i < count; ++i) left[i] = left[i + 1];
        if (count > 1) ways /= count;
    }
}

void mon_read(const struct Mon *mon, struct MonData *data)
{
    union Secure plain;
    u8 place[BLOCKS], block, word;
    u32 key = mon->personality ^ mon->otId;
    find_places(mon->personality, place);
    for (block = 0; block < BLOCKS; ++block)
        for (word = 0; word < BLOCK_WORDS; ++word)
            plain.words[block * BLOCK_WORDS + word] =
                mon->secure[place[block] * BLOCK_WORDS + word] ^ key;
    *data = plain.data;
}

void mon_write(struct Mon *mon, const struct MonData *data)
{
    union Secure plain;
    u8 place[BLOCKS], block, word, i;
    u16 sum = 0;
    u32 key = mon->personality ^ mon->otId;
    plain.data = *data;
    for (i = 0; i < COUNT(plain.halves); ++i) sum += plain.halves[i];
    find_places(mon->personality, place);
    for (block = 0; block < BLOCKS; ++block)
        for (word = 0; word < BLOCK_WORDS; ++word)
            mon->secure[place[block] * BLOCK_WORDS + word] =
                plain.words[block * BLOCK_WORDS + word] ^ key;
    mon->checksum = sum;
}

u16 mon_species(const struct Mon *mon)
{
    struct MonData data;
    mon_read(mon, &data);
    return data.species;
}

const u8 *mon_name(const struct Mon *mon)
{
    static u8 name[COUNT(mon->nickname) + 1];
    memcpy(name, mon->nickname, sizeof(mon->nickname));
    name[COUNT(mon->nickname)] = TEXT_END;
    return name;
}

/* ---- statistics ---- */

/* HP's place holds the maximum. */
static u16 *stats_of(struct Mon *mon)
{
    return (u16 *)((u8 *)mon + offsetof(struct Mon, maxHp));
}

u16 mon_stat(const struct Mon *mon, u8 stat)
{
    return stats_of((struct Mon *)mon)[stat];
}

u32 exp_for_level(u8 level)
{
    return (u32)level * level * level;
}

static u8 level_for(u32 experience)
{
    u8 level = 1;
    while (level < LEVEL_MAX && experience >= exp_for_level(level + 1)) ++level;
    return level;
}

/* A nature raises one of five statistics by a tenth and lowers another, or the same one. */
static u16 by_nature(u16 value, u8 stat, u8 nature)
{
    u8 raised = nature / 5 + STAT_ATTACK, lowered = nature % 5 + STAT_ATTACK;
    if (raised == lowered) return value;
    if (stat == raised) return value * 110 / 100;
    if (stat == lowered) return value * 90 / 100;
    return value;
}

void mon_stats(struct Mon *mon)
{
    struct MonData data;
    const u8 *base;
    u8 stat, nature = mon->personality % NATURES;
    u16 before = mon->maxHp, value, *stats = stats_of(mon);
    mon_read(mon, &data);
    base = (const u8 *)&gSpeciesInfo[data.species];
    mon->level = level_for(data.experience);
    for (stat = 0; stat < STATS; ++stat) {
        value = 2 * base[stat] + (data.ivs >> 5 * stat & IV_MASK) + data.evs[stat] / 4;
        value = value * mon->level / 100;
        stats[stat] = stat == STAT_HP ? value + mon->level + 10 : by_nature(value + 5, stat, nature);
    }
    /* HP gain or lose what the maximum does, which neither revives nor knocks out. A new creature has
     * 0 of 0. */
    if (mon->hp || !before) mon->hp = MAX(mon->hp + mon->maxHp - before, 1);
}

/* ---- new creatures ---- */

void mon_set_move(struct MonData *data, u8 slot, u16 move)
{
    data->moves[slot] = move;
    data->pp[slot] = move ? gBattleMoves[move].pp : 0;
}

/* The newest four that are learnt up to the level. */
static void fill_moves(struct MonData *data, u8 level)
{
    const struct LevelMove *first = learnsets[data->species], *end = first;
    u8 slot;
    while (end->level && end->level <= level) ++end;
    if (end - first > NO_SLOT) first = end - NO_SLOT;
    for (slot = 0; first < end; ++first, ++slot) mon_set_move(data, slot, first->move);
}

void mon_create(struct Mon *mon, u16 species, u8 level, u32 personality, u32 owner, u32 ivs)
{
    struct MonData data;
    memset(mon, 0, sizeof(*mon));
    memset(&data, 0, sizeof(data));
    mon->personality = personality;
    mon->otId = owner;
    memcpy(mon->nickname, gSpeciesNames[species], sizeof(mon->nickname));
    memcpy(mon->otName, SAVE2->playerName, sizeof(mon->otName));
    mon->language = LANGUAGE_ENGLISH;
    mon->flags = MON_PRESENT;
    data.species = species;
    data.experience = exp_for_level(level);
    data.friendship = FRIENDSHIP;
    data.ivs = ivs;
    data.metLocation = gMapHeader.section;
    data.metInfo = level | MET_GAME | MET_BALL;
    fill_moves(&data, level);
    mon_write(mon, &data);
    mon_stats(mon);
}

static u32 rnd30(void)
{
    u32 low = rnd() & 0x7FFF;
    return low | (u32)(rnd() & 0x7FFF) << 15;
}

void mon_make(struct Mon *mon, u16 species, u8 level)
{
    u32 personality = rnd(), owner = SAVE2->trainerId[0] | (u32)SAVE2->trainerId[1] << 16;
    personality |= (u32)rnd() << 16;
    mon_create(mon, species, level, personality, owner, rnd30());
}

/* ---- those known ---- */

static void dex_set(u8 *dex, u16 species)
{
    --species;
    dex[species >> 3] |= 1 << (species & 7);
}

void dex_see(u16 species)
{
    dex_set(SAVE2->dexSeen, species);
    dex_set(SAVE1->dexSeen1, species);
    dex_set(SAVE1->dexSeen2, species);
}

void dex_own(u16 species)
{
    dex_see(species);
    dex_set(SAVE2->dexOwned, species);
}

/* ---- the party ---- */

void party_append(const struct Mon *mon)
{
    gPlayerParty[gPlayerPartyCount] = *mon;
    gPlayerPartyCount = gPlayerPartyCount + 1;
    dex_own(mon_species(mon));
}

bool give_mon(u16 species, u8 level)
{
    struct Mon mon;
    text_copy(gStringVar1, gSpeciesNames[species]);
    if (gPlayerPartyCount == PARTY_MAX) return false;
    mon_make(&mon, species, level);
    party_append(&mon);
    return true;
}

void heal_party(void)
{
    struct MonData data;
    struct Mon *mon;
    u8 slot;
    for (mon = gPlayerParty; mon < gPlayerParty + gPlayerPartyCount; ++mon) {
        mon_read(mon, &data);
        for (slot = 0; slot < NO_SLOT; ++slot) mon_set_move(&data, slot, data.moves[slot]);
        mon_write(mon, &data);
        mon->hp = mon->maxHp;
        mon->status = 0;
    }
}

u8 party_alive(void)
{
    u8 i, count = 0;
    for (i = 0; i < gPlayerPartyCount; ++i) count += gPlayerParty[i].hp != 0;
    return count;
}

void party_swap(u8 a, u8 b)
{
    struct Mon kept = gPlayerParty[a];
    gPlayerParty[a] = gPlayerParty[b];
    gPlayerParty[b] = kept;
}

/* ---- in battle ---- */

struct Mon *battle_mon(u8 side)
{
    return (SIDE(side) == OWN ? gPlayerParty : gEnemyParty) + gBattlerPartyIndexes[side];
}

bool scenes(void)
{
    return !(SAVE2->options & 1 << OPTION_NO_SCENES_BIT);
}
