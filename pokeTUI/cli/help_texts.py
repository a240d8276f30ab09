"""Read from docstrings what options are for, and group options under headings."""

import inspect
import re
from typing import NamedTuple

# Read from docstrings what parameters and fields are for.

_ENTRY = re.compile(r"(\w+)(?: \((.+?)\))?: (.+?)(?: Default: (.+?)\.?)?")


class Doc(NamedTuple):
    """An entry of a docstring: "name (PLACEHOLDER): Text. Default: text."."""

    placeholder: str | None
    text: str
    default: str | None


def summary_of(described: object) -> str:
    """Return a docstring without its Args, a paragraph a line: terminals differ in width."""
    text = (inspect.getdoc(described) or "").partition("\n\nArgs:\n")[0]
    return re.sub(r"(?<=\S)\n(?!\s|[-*] )", " ", text)


def docs_of(described: object) -> dict[str, Doc]:
    """Return the entries below Args or Attributes by name."""
    text = inspect.getdoc(described) or ""
    section = re.search(r"^(?:Args|Attributes):\n((?: .*\n?|\n)*)", text, re.MULTILINE)
    entries = re.split(r"^ {4}(?=\w)", section[1] if section else "", flags=re.MULTILINE)[1:]
    found = filter(None, (_ENTRY.fullmatch(" ".join(entry.split())) for entry in entries))
    return {parts[1]: Doc(parts[2], parts[3], parts[4]) for parts in found}


# Group options in the help, and keep what they were called before.

FEW = 7
"""A command with at most this many options shows them in one panel."""
_PANELS = {
    "Game": "game rom core state goal allow_unknown_rom",
    "Agent": "agent no_dqn mode strategy start_policy player",
    "Language model": "llm_model llm_backend llm_interval no_llm",
    "Data": "task tag rules by success min_right min_success progress dedupe val_share balance",
    "Battles": "battle_format team num_teams opponents num_workers",
    "Network and training": "network inputs hidden_size epochs batch_size lr weight_decay patience "
    "eval_episodes eval_every save_every rounds device bc_model freeze_shared",
    "PPO": "buffer_size gamma gae_lambda ppo_epochs num_minibatches clip_coef ent_coef vf_coef "
    "target_kl anneal",
    "As in CleanRL's scripts": "expert_data_dir total_training_steps eval_frequency save_frequency "
    "save_best torch_deterministic cuda",
    "DAgger": "dagger round_episodes beta",
    "Run": "dataset demo at steps episodes minutes time_limit pause reset review seed seeds "
    "first_seed envs workers processes anew",
    "Video": "gif mp4 panes size speed scale first last",
    "Table of runs": "sort reverse filter_ group watch_ once",
    "Labels and trash": "name note add_tag untag delete restore yes",
    "Output": "headless detach web web_port quiet color save_dir checkpoint_dir exp_name track "
    "wandb_project_name json_ out force",
}
PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names.split()}
HIDDEN = ("torch_deterministic", "cuda")
"""Options whose names are too long for a help of 80 columns."""
FORMER = {
    "record": {"--from": "--demo"},
    "replay": {"--from": "--first-step", "--to": "--last-step"},
    "demos watch": {"--from": "--first-step", "--to": "--last-step"},
    "bench play": {"--agent": "--player", "--json": "--out"},
    "llm check": {"--backend": "--llm-backend"},
    "llm ask": {"--backend": "--llm-backend"},
    "vgc ladder": {"--games": "--battles", "--search": "--matchmaking"},
}
"""Former names of options, by command; they are still accepted."""
