/* Creatures that turn into another species after a battle in which they grew enough. */
#include "battle.h"

#define FLICKERS 12
#define SPRITE 2
#define PICTURE_X 88
#define PICTURE_Y 24
#define TILES_OLD 0
#define TILES_NEW 64
#define PALETTE 0
#define PICTURE_TILES 64
#define FADE 8

static struct Mon *growing;

static void show(u16 species, u16 tile)
{
    pal_load(16 + PALETTE, species_fronts[species].palette);
    sprite_put(SPRITE, PICTURE_X, PICTURE_Y, SPRITE_64x64, tile, PALETTE, 0);
}

/* The two shapes take turns, faster and faster. */
static void flicker(u16 from, u16 into)
{
    u8 times, wait;
    for (times = FLICKERS; times && scenes(); --times) {
        for (wait = 0; wait < times; ++wait) wait_frame();
        show(into, TILES_NEW);
        for (wait = times; wait < FLICKERS; ++wait) wait_frame();
        show(from, TILES_OLD);
    }
    show(into, TILES_NEW);
}

/* Nicknames are not given in this game: the new species' name is the creature's. */
static void become(struct MonData *data, u16 into)
{
    memcpy(growing->nickname, gSpeciesNames[into], sizeof(growing->nickname));
    data->species = into;
    mon_write(growing, data);
    mon_stats(growing);
    dex_own(into);
}

void CB2_EvolutionSceneUpdate(void)
{
    struct MonData data;
    u16 from, into;
    const u8 *name = mon_name(growing);
    mon_read(growing, &data);
    from = data.species;
    into = evolutions[from].into;
    screen_open(&backdrop_screen);
    battle_box();
    sprite_tiles(TILES_OLD, species_fronts[from].tiles, PICTURE_TILES);
    sprite_tiles(TILES_NEW, species_fronts[into].tiles, PICTURE_TILES);
    show(from, TILES_OLD);
    screen_light();
    announce(name, T(" is changing!"));
    flicker(from, into);
    msg();
    msg_add(name);
    tell_name(T(" grew into a "), gSpeciesNames[into]);
    become(&data, into);
    learn_moves(&data, growing->level, mon_name(growing));
    mon_write(growing, &data);
    fade_out(FADE);
}

void evolve_party(u8 grown)
{
    const struct Evolution *evolution;
    u8 i;
    for (i = 0; i < gPlayerPartyCount; ++i) {
        growing = &gPlayerParty[i];
        evolution = &evolutions[mon_species(growing)];
        if (grown >> i & 1 && evolution->level && growing->level >= evolution->level)
            enter(CB2_EvolutionSceneUpdate);
    }
}
