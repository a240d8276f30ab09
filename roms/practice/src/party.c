/* The party in RAM: making creatures, statistics, experience levels, healing. */
#include "battle.h"

u16 scale(u16 x, u8 numerator, u8 denominator)
{
    /* Splitting x keeps every product within 16 bits. */
    return x / denominator * numerator + x % denominator * numerator / denominator;
}

PartyMon mon;

PartyMon *party_mon(u8 index)
{
    return PARTY + index;
}

void mon_load(u8 index)
{
    copy_bytes((u8 *)&mon, (u8 *)party_mon(index), sizeof(PartyMon));
}

void mon_store(u8 index)
{
    copy_bytes((u8 *)party_mon(index), (u8 *)&mon, sizeof(PartyMon));
}

u8 *party_nick(u8 index)
{
    return wPartyMon1Nickname + index * NAME_SIZE;
}

void copy16(u8 *dst, const u8 *src)
{
    *dst++ = *src++;
    *dst = *src;
}

void copy_name(u8 *dst, const u8 *src)
{
    copy_bytes(dst, src, NAME_SIZE);
}

void dex_set(u8 *dex, u8 species)
{
    --species;
    dex[species >> 3] |= 1 << (species & 7);
}

u16 exp_for_level(u8 level)
{
    return (u16)level * level * level; /* medium fast */
}

static u8 hp_dv(const u8 *dvs)
{
    return (dvs[0] >> 4 & 1) << 3 | (dvs[0] & 1) << 2 | (dvs[1] >> 4 & 1) << 1 | (dvs[1] & 1);
}

/* Without the level's share of 10 (HP) or 5: (base + DV) * 2 * level / 100. */
static u16 grown(u8 base, u8 dv, u8 level)
{
    return (u16)(base + dv) * 2 * level / 100;
}

void calc_stats(u8 species, u8 level, const u8 *dvs, u8 *max_hp)
{
    static u8 dv[5];
    const u8 *base = species_table[species];
    u8 i;
    dv[ATTACK] = dvs[0] >> 4;
    dv[DEFENSE] = dvs[0] & 15;
    dv[SPEED] = dvs[1] >> 4;
    dv[SPECIAL_ATTACK] = dv[SPECIAL_DEFENSE] = dvs[1] & 15;
    set16(max_hp, grown(base[SP_HP], hp_dv(dvs), level) + level + 10);
    for (i = 0; i < 5; ++i) {
        max_hp += 2;
        set16(max_hp, grown(base[SP_ATTACK + i], dv[i], level) + 5);
    }
}

void fill_moves(u8 species, u8 level, u8 *moves, u8 *pp)
{
    const u8 *line = learnsets[species];
    u8 n = 0;
    fill_bytes(moves, 0, 4);
    fill_bytes(pp, 0, 4);
    for (; *line && *line <= level; line += 2) ++n;
    if (n > 4) n = 4;
    for (line -= 2 * n; n; --n) {
        ++line;
        *moves++ = *line;
        *pp++ = move_table[*line++][MV_POINTS];
    }
}

void party_append(u8 species, u8 level, const u8 *dvs)
{
    u8 index = wPartyCount;
    fill_bytes((u8 *)&mon, 0, sizeof(PartyMon));
    mon.species = species;
    mon.level = level;
    mon.happiness = 70;
    copy16(mon.id, wPlayerID);
    copy16(mon.dvs, dvs);
    set16(mon.exp + 1, exp_for_level(level)); /* the first of three bytes stays 0 */
    fill_moves(species, level, mon.moves, mon.pp);
    calc_stats(species, level, dvs, mon.max_hp);
    copy16(mon.hp, mon.max_hp);
    mon_store(index);
    copy_name(party_nick(index), species_names[species]);
    copy_name(wPartyMonOTs + index * NAME_SIZE, wPlayerName);
    wPartySpecies[index] = species;
    wPartySpecies[index + 1] = 0xFF;
    wPartyCount = index + 1;
    dex_set(wPokedexSeen, species);
    dex_set(wPokedexCaught, species);
}

void give_mon(u8 species, u8 level) __banked
{
    u8 dvs[2];
    if (wPartyCount == PARTY_MAX) return;
    dvs[0] = rnd();
    dvs[1] = rnd();
    party_append(species, level, dvs);
    copy_bytes(wStringBuffer1, species_names[species], NAME_SIZE);
}

void heal_party(void) __banked
{
    u8 i, slot;
    for (i = 0; i < wPartyCount; ++i) {
        mon_load(i);
        copy16(mon.hp, mon.max_hp);
        mon.status = 0;
        for (slot = 0; slot < 4; ++slot) mon.pp[slot] = move_table[mon.moves[slot]][MV_POINTS];
        mon_store(i);
    }
}

void move_put(u8 index, u8 slot, u8 move) __banked
{
    PartyMon *one = party_mon(index);
    one->moves[slot] = move;
    one->pp[slot] = move_table[move][MV_POINTS];
}

void teach_move(u8 move) __banked
{
    u8 *moves = wPartyMon1Moves, slot, to = 4;
    for (slot = 0; slot < 4; ++slot) {
        if (moves[slot] == move) return;
        if (to == 4 && !moves[slot]) to = slot;
    }
    for (slot = 0; to == 4 && slot < 4; ++slot)
        if (!move_table[moves[slot]][MV_POWER]) to = slot;
    if (to == 4) to = moves[1] == MOVE_CUT ? 2 : 1; /* without CUT a tree may shut the way back */
    moves[to] = move;
    wPartyMon1PP[to] = move_table[move][MV_POINTS];
}

u8 party_alive(void) __banked
{
    u8 i, n = 0;
    for (i = 0; i < wPartyCount; ++i)
        if (get16(party_mon(i)->hp)) ++n;
    return n;
}

static void swap_bytes(u8 *a, u8 *b, u8 n)
{
    u8 kept;
    while (n--) {
        kept = *a;
        *a++ = *b;
        *b++ = kept;
    }
}

void party_swap(u8 a, u8 b)
{
    swap_bytes((u8 *)party_mon(a), (u8 *)party_mon(b), sizeof(PartyMon));
    swap_bytes(party_nick(a), party_nick(b), NAME_SIZE);
    swap_bytes(wPartyMonOTs + a * NAME_SIZE, wPartyMonOTs + b * NAME_SIZE, NAME_SIZE);
    swap_bytes(wPartySpecies + a, wPartySpecies + b, 1);
}
