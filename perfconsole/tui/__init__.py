"""The live screen: the only part that knows a terminal. Pages come from `view` as rows; here they are shown."""
