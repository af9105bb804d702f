import torch

import torch_npu
from torch_npu.testing.testcase import TestCase, run_tests


class Test{{ camel }}(TestCase):
{% if golden %}
    @staticmethod
    def golden({{ parameters | wrap }}):
{% for line in golden %}
        {{ line }}
{% endfor %}

{% endif %}
    def test_{{ name }}(self):
        torch.manual_seed(0)
{% for sample in samples %}
        {{ sample.name }} = {{ sample.value }}
{% endfor %}
        result = torch.ops.npu.{{ name }}({{ passed | wrap }})
{% for check in checks %}
        self.assertEqual(tuple({{ check.result }}.shape), tuple({{ check.shape }}))
        self.assertEqual({{ check.result }}.dtype, {{ check.dtype }})
{% endfor %}
{% if compared %}
        expected = self.golden({{ parameters | wrap }})
{% for each in compared %}
        self.assertRtolEqual({{ each.expected }}.detach().numpy(), {{ each.result }}.detach().cpu().numpy(), prec=1e-3)
{% endfor %}
{% endif %}
{% if differentiable %}

    def test_{{ name }}_backward(self):
        torch.manual_seed(0)
{% for sample in samples %}
        {{ sample.name }} = {{ sample.value }}
{% endfor %}
{% for given in differentiable %}
        on_npu_{{ given }} = {{ given }}.npu().requires_grad_()
{% endfor %}
{% for given in differentiable %}
        {{ given }}.requires_grad_()
{% endfor %}
{% if several %}
        sum(each.sum() for each in torch.ops.npu.{{ name }}({{ differentiated | wrap }})).backward()
        sum(each.sum() for each in self.golden({{ parameters | wrap }})).backward()
{% else %}
        torch.ops.npu.{{ name }}({{ differentiated | wrap }}).sum().backward()
        self.golden({{ parameters | wrap }}).sum().backward()
{% endif %}
{% for given in differentiable %}
        self.assertRtolEqual({{ given }}.grad.detach().numpy(), on_npu_{{ given }}.grad.detach().cpu().numpy(), prec=1e-3)
{% endfor %}
{% endif %}


if __name__ == "__main__":
    run_tests()
