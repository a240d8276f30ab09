"""Describe the part of libretro's interface that is used, to ctypes.

Source: libretro.h of RetroArch, API version 1, by names there.
"""

import ctypes
from typing import Any

RGB565 = 2
"""RETRO_PIXEL_FORMAT_RGB565."""
JOYPAD = 1
"""RETRO_DEVICE_JOYPAD."""
SAVE_RAM = 0
"""RETRO_MEMORY_SAVE_RAM."""

# RETRO_ENVIRONMENT_...; cores add EXPERIMENTAL to some.
EXPERIMENTAL = 0x10000
SET_PIXEL_FORMAT = 0x0A
GET_VARIABLE = 0x0F
SET_MEMORY_MAPS = 0x24

# RETRO_DEVICE_ID_JOYPAD_...
B, SELECT, START, UP, DOWN, LEFT, RIGHT, A = 0, 2, 3, 4, 5, 6, 7, 8
L, R = 10, 11


class Variable(ctypes.Structure):
    """struct retro_variable."""

    _fields_ = (("key", ctypes.c_char_p), ("value", ctypes.c_char_p))


class SystemInfo(ctypes.Structure):
    """struct retro_system_info."""

    _fields_ = (
        ("library_name", ctypes.c_char_p),
        ("library_version", ctypes.c_char_p),
        ("valid_extensions", ctypes.c_char_p),
        ("need_fullpath", ctypes.c_bool),
        ("block_extract", ctypes.c_bool),
    )


class GameInfo(ctypes.Structure):
    """struct retro_game_info."""

    _fields_ = (
        ("path", ctypes.c_char_p),
        ("data", ctypes.c_char_p),
        ("size", ctypes.c_size_t),
        ("meta", ctypes.c_char_p),
    )


class MemoryDescriptor(ctypes.Structure):
    """struct retro_memory_descriptor."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("ptr", ctypes.c_void_p),
        ("offset", ctypes.c_size_t),
        ("start", ctypes.c_size_t),
        ("select", ctypes.c_size_t),
        ("disconnect", ctypes.c_size_t),
        ("len", ctypes.c_size_t),
        ("addrspace", ctypes.c_char_p),
    )


class MemoryMap(ctypes.Structure):
    """struct retro_memory_map."""

    _fields_ = (
        ("descriptors", ctypes.POINTER(MemoryDescriptor)),
        ("num_descriptors", ctypes.c_uint),
    )


EnvironmentCallback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_uint, ctypes.c_void_p)
VideoCallback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_size_t
)
AudioCallback = ctypes.CFUNCTYPE(None, ctypes.c_int16, ctypes.c_int16)
AudioBatchCallback = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
InputPollCallback = ctypes.CFUNCTYPE(None)
InputStateCallback = ctypes.CFUNCTYPE(ctypes.c_int16, *(ctypes.c_uint,) * 4)

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "retro_api_version": (ctypes.c_uint, ()),
    "retro_get_system_info": (None, (ctypes.POINTER(SystemInfo),)),
    "retro_set_environment": (None, (EnvironmentCallback,)),
    "retro_set_video_refresh": (None, (VideoCallback,)),
    "retro_set_audio_sample": (None, (AudioCallback,)),
    "retro_set_audio_sample_batch": (None, (AudioBatchCallback,)),
    "retro_set_input_poll": (None, (InputPollCallback,)),
    "retro_set_input_state": (None, (InputStateCallback,)),
    "retro_init": (None, ()),
    "retro_deinit": (None, ()),
    "retro_load_game": (ctypes.c_bool, (ctypes.POINTER(GameInfo),)),
    "retro_unload_game": (None, ()),
    "retro_run": (None, ()),
    "retro_serialize_size": (ctypes.c_size_t, ()),
    "retro_serialize": (ctypes.c_bool, (ctypes.c_void_p, ctypes.c_size_t)),
    "retro_unserialize": (ctypes.c_bool, (ctypes.c_void_p, ctypes.c_size_t)),
    "retro_get_memory_data": (ctypes.c_void_p, (ctypes.c_uint,)),
    "retro_get_memory_size": (ctypes.c_size_t, (ctypes.c_uint,)),
}
"""What a core exports and is used here: result and arguments."""
