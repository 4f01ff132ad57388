"""NVIDIA GPUs through NVML, in a process of its own: a call of the driver may hang for ever."""
