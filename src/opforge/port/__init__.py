"""Lists what handwritten Ascend C loses or has to change on another chip."""
