import torch

import torch_npu
from torch_npu.testing.testcase import TestCase, run_tests


class Test{{ camel }}(TestCase):
{% if golden %}
    @staticmethod
    def {{ golden_signature }}
{% for line in golden %}
        {{ line }}
{% endfor %}

{% endif %}
    def test_{{ name }}(self):
        torch.manual_seed(0)
{% for line in arguments %}
        {{ line }}
{% endfor %}
        {{ call }}
{% for check in checks %}
        {{ check }}
{% endfor %}
{% if compared %}
        {{ expected }}
{% for line in compared %}
        {{ line }}
{% endfor %}
{% endif %}
{% if gradients %}

    def test_{{ name }}_backward(self):
        torch.manual_seed(0)
{% for line in arguments %}
        {{ line }}
{% endfor %}
{% for line in gradients %}
        {{ line }}
{% endfor %}
{% endif %}


if __name__ == "__main__":
    run_tests()
