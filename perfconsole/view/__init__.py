"""Pure pictures of the model, as rows, cells and text: sees nothing but the model, reads nothing, writes nothing."""
