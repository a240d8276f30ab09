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

/* False: B was held. */
static bool waited(u8 frames)
{
    for (; frames; --frames) {
        wait_frame();
        if (gMain.heldKeys & KEY_B) return false;
    }
    return true;
}

/* The two shapes take turns, faster and faster; false: it was stopped. */
static bool flicker(u16 from, u16 into)
{
    u8 times;
    for (times = FLICKERS; times; --times) {
        if (!waited(times)) return false;
        show(into, TILES_NEW);
        if (!waited(FLICKERS - times)) return false;
        show(from, TILES_OLD);
    }
    show(into, TILES_NEW);
    return true;
}

/* From the scene's first frame on; the box shows it once the screen is light. */
static void begin_text(const u8 *name)
{
    text_copy(text_copy(text_copy(gStringVar4, T("What?\n")), name), T(" is evolving!"));
}

static void stop(u16 from, const u8 *name)
{
    show(from, TILES_OLD);
    msg();
    msg_add(name);
    msg_add(T(" stays as it is."));
    msg_show(MSG_WAIT);
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

static void change(struct MonData *data, u16 into)
{
    msg();
    msg_add(T("Congratulations! "));
    msg_add(mon_name(growing));
    msg_add(T(" has become "));
    msg_add(gSpeciesNames[into]);
    msg_add(T("!"));
    msg_show(MSG_WAIT);
    become(data, into);
    learn_moves(data, growing->level, mon_name(growing));
    mon_write(growing, data);
}

void CB2_EvolutionSceneUpdate(void)
{
    struct MonData data;
    u16 from, into;
    const u8 *name = mon_name(growing);
    mon_read(growing, &data);
    from = data.species;
    into = evolutions[from].into;
    begin_text(name);
    msg_place(false);
    screen_open(&backdrop_screen);
    sprite_tiles(TILES_OLD, species_fronts[from].tiles, PICTURE_TILES);
    sprite_tiles(TILES_NEW, species_fronts[into].tiles, PICTURE_TILES);
    show(from, TILES_OLD);
    screen_light();
    msg();
    msg_add(T("What?\n"));
    msg_add(name);
    msg_add(T(" is evolving!"));
    msg_show(MSG_GO);
    if (flicker(from, into)) change(&data, into);
    else stop(from, name);
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
