"use strict";

// Every figure comes whole with each update, so nothing here grows: elements are reused, not added.

const path = document.body.dataset.path;
history.replaceState(null, "", `${path}/`); // the token has done its work

const RETRY_MS = 3000;
const HISTORY_MS = 5000;

const byId = (id) => document.getElementById(id);
const count = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US"));
const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(0)} %`);
const signed = (value) => {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  return Number(text) === 0 ? "0" : `${value > 0 ? "+" : ""}${text}`; // no "-0.00"
};

function duration(seconds) {
  const parts = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const first = parts.findIndex((part) => part > 0);
  if (first < 0) return "0s";
  return parts.map((part, index) => `${part}${"dhms"[index]}`).slice(first, first + 2).join(" ");
}

function size(bytes) {
  let unit = 0;
  for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1024;
  return `${bytes.toFixed(bytes < 10 && unit ? 1 : 0)} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
}

/** Give a parent one child for each item: those that are there are used again. */
function fill(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, index) => update(parent.children[index], item, index));
}

function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** Show pairs of a label and a value; those without a value are left out. */
function pairs(list, items) {
  const known = items.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const make = () => element("div", element("dt"), element("dd"));
  fill(list, known, make, (row, [label, value]) => {
    text(row.children[0], label);
    text(row.children[1], value);
  });
}

// The game

function creature() {
  const bar = element("div", element("i"));
  bar.className = "bar";
  return element("li", element("span", element("b"), " ", element("small")), element("span"), bar);
}

function showCreature(row, { name, level, hp, max_hp: most, status }) {
  text(row.children[0].children[0], `${name} Lv ${level}`);
  text(row.children[0].children[1], hp === 0 ? "fainted" : status);
  text(row.children[1], `${hp}/${most} HP`);
  const left = most ? hp / most : 0;
  row.children[2].classList.toggle("is-low", left < 0.25);
  row.children[2].firstElementChild.style.setProperty("--share", `${100 * left}%`);
}

let shown = 0;

function showScreen(number) {
  const screen = byId("screen");
  if (!number || number === shown || screen.dataset.loading) return;
  shown = number;
  screen.dataset.loading = "1";
  screen.src = `${path}/screenshot.png?${number}`;
}

for (const kind of ["load", "error"])
  byId("screen").addEventListener(kind, (event) => {
    delete event.target.dataset.loading;
    event.target.hidden = kind === "error";
  });

function describeDecision({ action, source, confidence, reason }) {
  const why = reason.startsWith(action) ? reason : `${action}: ${reason}`;
  const sure = confidence === null || why.includes("confidence") ? "" : `, confidence ${brief(confidence)}`;
  return `${why} (${source}${sure})`;
}

function describeStuck({ idle_steps: idle, masked, interventions }) {
  const now = masked.length ? `masks ${masked.join(", ")}` : `${count(idle)} steps without progress`;
  return interventions ? `${now}; ${count(interventions)} interventions` : now;
}

function describePayout({ component, value, cause }) {
  return `${signed(value)} ${cause.startsWith(component) ? cause : component + (cause && `: ${cause}`)}`;
}

function showGame({ game, goal, decision, screenshot, anti_stuck: stuck }) {
  showScreen(screenshot);
  text(byId("goal"), goal ? `Goal: ${goal.text}` : "");
  text(byId("decision"), decision ? describeDecision(decision) : "");
  if (!game) return;
  text(byId("place"), game.place);
  text(byId("where"), `${game.environment} · x ${game.x} y ${game.y}, facing ${game.facing}`);
  const species = game.has_species;
  pairs(byId("purse"), [
    ["Level", game.party.length ? String(Math.max(...game.party.map((one) => one.level))) : ""],
    ["Badges", species || game.badge_count ? String(game.badge_count) : ""],
    ["Money", species || game.money ? count(game.money) : ""],
    ["Caught / seen", species ? `${game.caught} / ${game.seen}` : ""],
    ["Play time", game.play_time_s ? duration(game.play_time_s) : ""],
    ["Anti-stuck", stuck ? describeStuck(stuck) : ""],
  ]);
  const rows = game.badges.filter((row, index) => row.some(Boolean) || (species && index === 0));
  const badges = rows.flat();
  fill(byId("badges"), badges, () => element("b"), (badge, has) => {
    text(badge, has ? "◆" : "◇");
    badge.classList.toggle("has", has);
  });
  fill(byId("party"), game.party, creature, showCreature);
  byId("battle").hidden = !game.battle;
  if (game.battle) {
    text(byId("h-battle"), `${game.battle.kind} battle against`);
    fill(byId("foes"), game.battle.enemy ? [game.battle.enemy] : [], creature, showCreature);
  }
}

function showMilestones(milestones) {
  const done = milestones.filter((one) => one.is_reached).length;
  text(byId("h-milestones"), `Milestones: ${done} of ${milestones.length}`);
  const next = milestones.findIndex((one) => !one.is_reached);
  fill(byId("milestones"), milestones, () => element("li"), (row, one, index) => {
    text(row, one.text);
    row.className = one.is_reached ? "is-reached" : index === next ? "is-next" : "";
  });
}

// The run

function showRun({ run, status, progress, end }) {
  text(byId("run"), run ? run.id : "PokeTUI");
  document.title = run ? `${run.id} - PokeTUI` : "PokeTUI";
  const games = run && `${run.games} ${run.games === 1 ? "game" : "games"}`;
  text(byId("about"), run ? `${run.game} · ${run.agent}, ${run.mode} · ${games}` : progress);
  const phase = byId("phase");
  text(phase, end ? `● ${end.kind}` : status ? (status.is_human ? "● played by hand" : `● ${status.phase}`) : "starting");
  phase.classList.toggle("is-off", !end && (!status || status.is_paused));
  phase.classList.toggle("is-over", Boolean(end));
  say(end ? `${end.message} ${end.hint}` : "");
}

function showKeys(status, stats) {
  const { episodes, evaluation } = stats;
  const done = status && status.total ? ` (${count(status.done)} of ${count(status.total)})` : "";
  pairs(byId("keys"), [
    ["steps", status && count(status.steps)],
    ["steps/s", status && count(status.steps_per_s)],
    ["episodes", status && count(status.episode)],
    ["episodes/hour", status && status.episodes_per_hour ? brief(status.episodes_per_hour) : ""],
    ["return, last 30", episodes.recent ? signed(episodes.return) : ""],
    ["success, last 30", episodes.recent ? share(episodes.success) : ""],
    ["policy alone", evaluation ? share(evaluation.success) : ""],
    ["step of episode", status && count(status.episode_steps)],
    ["uptime", status && duration(status.uptime_s)],
    ["phase", done && status.phase + done],
  ]);
}

function reward() {
  const bar = element("div", element("i"));
  const row = element("tr", element("td"), element("td", bar), element("td"), element("td"), element("td"));
  for (const cell of [...row.children].slice(2)) cell.className = "number";
  return row;
}

function showRewards({ rewards, payouts }) {
  const most = Math.max(1e-9, ...rewards.map((one) => Math.abs(one.episode)));
  fill(byId("rewards"), rewards, reward, (row, one) => {
    text(row.children[0], one.name);
    const bar = row.children[1].firstElementChild;
    bar.className = one.episode < 0 ? "pays is-cost" : "pays";
    bar.firstElementChild.style.setProperty("--share", `${(100 * Math.abs(one.episode)) / most}%`);
    text(row.children[2], signed(one.episode));
    text(row.children[3], signed(one.recent));
    text(row.children[4], signed(one.run));
  });
  const total = rewards.reduce((sum, one) => sum + one.episode, 0);
  text(byId("h-rewards"), rewards.length ? `Rewards: ${signed(total)} this episode` : "Rewards");
  lines(byId("payouts"), [...payouts].reverse().slice(0, 6).map((one) => [one.step, describePayout(one)]));
}

function lines(list, items) {
  const make = () => element("li", element("small"), " ", element("span"));
  fill(list, items, make, (row, [label, value]) => {
    text(row.children[0], count(label));
    text(row.children[1], value);
  });
}

function showLearner(status, { learner, decisions, evaluation, checkpoint_step: saved }) {
  text(byId("story"), status ? status.story.join(" ") : "");
  const sources = Object.entries(decisions);
  byId("shares").hidden = !sources.length;
  const label = sources.map(([name, value]) => `${name} ${share(value)}`).join(", ");
  byId("shares").setAttribute("aria-label", `Decisions: ${label}`);
  fill(byId("shares"), sources, () => element("i"), (part, [, value], index) => {
    part.className = `source-${index % 4}`;
    part.style.setProperty("--share", `${100 * value}%`);
  });
  fill(byId("share-names"), sources, () => element("li", element("i"), element("span")), (row, [name, value], index) => {
    row.children[0].className = `source-${index % 4}`;
    text(row.children[1], `${name} ${share(value)}`);
  });
  const figures = Object.entries(learner ? learner.figures : {});
  pairs(byId("learner"), [
    ["update", learner && count(learner.update)],
    ...figures.map(([name, value]) => [name.replaceAll("_", " "), brief(value)]),
    ["policy alone: return", evaluation && `${signed(evaluation.return)} ± ${brief(evaluation.return_std)}`],
    ["saved at step", saved === null ? "" : count(saved)],
  ]);
}

function showPlanner({ planner, curriculum, strategy }) {
  const stage = curriculum && `${curriculum.stage} of ${curriculum.stages}, ${curriculum.name}`;
  const goal = curriculum && curriculum.threshold !== null ? `, needs ${brief(curriculum.threshold)}` : "";
  pairs(byId("planner"), [
    ["model", planner ? planner.model : "none: the rules set goals"],
    ["state", planner && planner.summary],
    ["queries", planner && `${count(planner.queries)}, ${count(planner.failures)} failed, ${count(planner.cached)} cached`],
    ["strategy", strategy && !planner && strategy.startsWith("llm_") ? `${strategy} (rules)` : strategy],
    ["stage", stage],
    ["planner weight", curriculum && share(curriculum.planner_weight)],
    ["mean (last 10)", curriculum && `${brief(curriculum.mean)} ${curriculum.unit}${goal}`],
    ["next stage", curriculum && (curriculum.next || "none: this is the last one")],
  ]);
}

function showSystem(system) {
  if (!system) return;
  const cores = system.cores.length ? share(system.cores.reduce((sum, one) => sum + one, 0) / system.cores.length) : "";
  const hourly = system.history_bytes_per_hour;
  const growth = hourly === null ? "" : `, ${hourly < 0 ? "-" : "+"}${size(Math.abs(hourly))}/hour`;
  const used = system.processes.reduce((sum, one) => sum + one.bytes, 0);
  pairs(byId("system"), [
    ["CPU", cores && `${cores} of ${system.cores.length} cores`],
    ["memory", system.memory_total ? `${size(system.memory_used)} of ${size(system.memory_total)}` : ""],
    ["of this run", used ? size(used) : ""],
    ...system.processes.map((one) => [one.name, size(one.bytes) + (one.count > 1 ? ` in ${one.count} processes` : "")]),
    ...system.gpus.map((one) => [one.name, `${share(one.load)}, ${size(one.used)} of ${size(one.total)}`]),
    ["disk", system.disk_total ? `${size(system.disk_free)} free` : ""],
    ["this run", size(system.run_bytes)],
    ["decision database", system.history_bytes ? size(system.history_bytes) + growth : ""],
  ]);
}

function show({ state, stats }) {
  byId("loading").hidden = true;
  document.querySelector("main").hidden = false;
  showRun(state);
  showKeys(state.status, stats);
  showGame(state);
  showMilestones(state.milestones);
  showRewards(stats);
  showLearner(state.status, stats);
  showPlanner(stats);
  lines(byId("log"), [...state.log].reverse().map((one) => [one.step, `${one.source}: ${one.text}${one.count > 1 ? ` ×${one.count}` : ""}`]));
  showSystem(stats.system);
  loadHistory(`${state.run && state.run.id} ${Object.values(stats.history)}`);
}

// The curves: asked for when there are more, but not too often

const charts = new Charts(byId("curves"));
const more = new Charts(byId("more-curves"));
const isDetail = ({ name }) => name.includes("/");
let loaded = "";
let nextLoad = 0;

async function loadHistory(wanted) {
  if (wanted === loaded || Date.now() < nextLoad) return;
  nextLoad = Date.now() + HISTORY_MS;
  try {
    const answer = await fetch(`${path}/api/history?points=240`);
    if (!answer.ok) return;
    const { curves } = await answer.json();
    loaded = wanted;
    byId("no-curves").hidden = curves.length > 0;
    charts.show(curves.filter((curve) => !isDetail(curve)));
    more.show(curves.filter(isDetail));
  } catch {
    // The connection is gone: `lost` says so.
  }
}

document.querySelector("details").addEventListener("toggle", () => more.charts.forEach((chart) => chart.draw()));

// The connection

let source = null;
let latest = null;
let isFollowed = false;

function say(message) {
  byId("news").hidden = !message;
  text(byId("news"), message);
}

function connect() {
  if (source || document.hidden) return;
  source = new EventSource(`${path}/api/events`);
  source.addEventListener("update", (event) => {
    latest = JSON.parse(event.data);
    isFollowed = true;
    show(latest);
  });
  source.onerror = lost;
}

function disconnect() {
  if (source) source.close();
  source = null;
  isFollowed = false;
}

async function lost() {
  const wasFollowed = isFollowed;
  disconnect();
  setTimeout(connect, RETRY_MS);
  const end = latest && latest.state.end;
  let why = "The run cannot be reached. Trying again …";
  try {
    const answer = await fetch(`${path}/api/state`);
    if (answer.ok && wasFollowed) return; // it is back: the next try follows it
    if (answer.ok) why = "Too many pages follow this run. Close one.";
    else why = answer.status === 403 ? "The address is not valid any more. Open the one that poketui printed." : await answer.text();
  } catch {
    if (end) why = `${end.message} ${end.hint} Once it is resumed, open the address that is printed then.`;
  }
  if (source) return;
  const phase = byId("phase");
  text(phase, end ? `● ${end.kind}` : "● not connected");
  phase.classList.toggle("is-off", !end);
  phase.classList.toggle("is-over", Boolean(end));
  say(why);
}

// A page that nobody sees costs the training nothing.
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
connect();
