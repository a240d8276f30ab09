/* What people, signs and places start. The bytes of a script are described in game.h; what is more
 * than words is a function in story.c. */
#include "field.h"

#define CALLS_TRAINER 0x5C
#define CALLS_TEXT 0xF0
#define CALLS_FUNCTION 0xF1
#define CALLS_CHOICE 0xF2
#define RUNNING 0                  /* sGlobalScriptContextStatus */
#define NONE 2
#define STOPPED 0                  /* sGlobalScriptContext.mode */
#define BYTECODE 1
#define EMOTE_FRAMES 30
#define QUIET_STEPS 4

u8 quiet_steps;

static u16 get16(const u8 *bytes)
{
    return bytes[0] | bytes[1] << 8;
}

/* ---- frame of a script ---- */

void script_begin(const u8 *script)
{
    sGlobalScriptContext.script = script;
    sGlobalScriptContext.mode = BYTECODE;
    sGlobalScriptContextStatus = RUNNING;
    field_lock();
    field_draw();
}

void script_end(void)
{
    msg_close();
    people_refresh();
    field_draw();
    sGlobalScriptContext.mode = STOPPED;
    sGlobalScriptContextStatus = NONE;
    field_unlock();
}

/* Pairs of a flag and a text: the first whose flag is set, or is 0. */
static void say_first(const u8 *pairs, u8 n)
{
    for (; n; n--, pairs += 4) {
        if (get16(pairs) && !flag_get(get16(pairs))) continue;
        say(get16(pairs + 2));
        return;
    }
}

static void run_bytes(const u8 *script)
{
    if (script[0] == CALLS_TEXT) say(get16(script + 1));
    if (script[0] == CALLS_FUNCTION) story_functions[get16(script + 1)]();
    if (script[0] == CALLS_CHOICE) say_first(script + 2, script[1]);
}

void script_run(const u8 *script)
{
    script_begin(script);
    run_bytes(script);
    script_end();
}

/* ---- battles ---- */

bool battle_done(u8 outcome)
{
    quiet_steps = QUIET_STEPS;
    if (outcome == LOST) whiteout();
    else field_return();
    return outcome != LOST;
}

/* ---- trainers ---- */

static const struct SightTrainer *trainer_of(u8 index)
{
    const u8 *script = persons[index].template->script;
    return script && script[0] == CALLS_TRAINER ? &sight_trainers[script[6]] : 0;
}

/* Steps from somebody to the player along the view, 0 if the player is not seen. */
static u8 steps_in_view(u8 index)
{
    const struct ObjectEvent *o = &gObjectEvents[index];
    u8 direction = o->facing & 15, n;
    s16 x = o->x - OFFSET, y = o->y - OFFSET;
    for (n = 1; n <= persons[index].template->trainerRange; n++) {
        x += step_dx[direction];
        y += step_dy[direction];
        if (x == SAVE1->x && y == SAVE1->y) return n;
        if (map_is_closed(x, y) || person_at(x, y, o->elevation & 15) != NOBODY) return 0;
    }
    return 0;
}

/* Who joins in, if two own creatures can fight; 0: nobody. */
static const struct SightTrainer *partner_of(const struct SightTrainer *trainer)
{
    const struct SightTrainer *partner = &sight_trainers[trainer->partner - 1];
    bool is_pair = trainer->partner && party_alive() > 1 && !flag_get(partner->flag);
    return is_pair ? partner : 0;
}

static void fight(const struct SightTrainer *trainer)
{
    const struct SightTrainer *partner = partner_of(trainer);
    say(trainer->before);
    if (partner) say(partner->before);
    msg_close();
    if (trainer->restsParty) heal_party();
    if (!battle_done(partner ? battle_trainers(trainer->trainer, partner->trainer) : battle_trainer(trainer->trainer))) return;
    flag_set(trainer->flag);
    if (partner) flag_set(partner->flag);
    if (trainer->script != SCRIPT_NONE) story_functions[trainer->script]();
    else say(trainer->lost);
}

static void walk_up(u8 index, u8 steps)
{
    u8 direction = gObjectEvents[index].facing & 15;
    emote_over = index;
    field_frames(EMOTE_FRAMES);
    emote_over = NOBODY;
    while (--steps) person_walk(index, direction);
    person_face(PLAYER, OPPOSITE(direction));
    field_draw();
}

bool trainers_look(void)
{
    const struct SightTrainer *trainer;
    u8 i, steps;
    for (i = 1; i < COUNT(persons); i++) {
        if (!gObjectEvents[i].active || !gObjectEvents[i].trainerType || persons[i].action != STANDING) continue;
        trainer = trainer_of(i);
        if (!trainer || flag_get(trainer->flag)) continue;
        steps = steps_in_view(i);
        if (!steps || !party_alive()) continue;
        script_begin(persons[i].template->script);
        walk_up(i, steps);
        fight(trainer);
        script_end();
        return true;
    }
    return false;
}

/* ---- talking ---- */

void talk_to(u8 index)
{
    const struct Person *p = &persons[index];
    const struct SightTrainer *trainer = trainer_of(index);
    if (!p->template->script) return;
    script_begin(p->template->script);
    while (!person_is_done(index)) field_frames(1);
    person_rest(index);
    person_face(index, OPPOSITE(gObjectEvents[PLAYER].facing & 15));
    field_draw();
    if (!trainer) run_bytes(p->template->script);
    else if (flag_get(trainer->flag) || !party_alive()) say(trainer->after);
    else fight(trainer);
    script_end();
}
