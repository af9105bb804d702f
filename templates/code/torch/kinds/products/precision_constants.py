# Of the root mean square of a result with products; 16-bit gradients are made of products that were rounded themselves.
# float32 is held to what other standards for this field ask of it (2^-13), which products in HF32 would not meet.
OF_THE_MEAN = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 2**-13}
