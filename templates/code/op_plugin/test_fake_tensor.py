# What belongs into test/core_tests/test_fake_tensor.py, where FakeTensorMode, TestCase, torch and torch_npu are known.
{% for op in ops %}


class Test{{ op.camel }}(TestCase):
    def test_{{ op.name }}_meta(self):
        with FakeTensorMode():
{% for sample in op.samples %}
            {{ sample.name }} = {{ sample.value }}
{% endfor %}
            result = torch.ops.npu.{{ op.name }}({{ op.passed | wrap }})
{% for check in op.checks %}
            self.assertEqual(tuple({{ check.result }}.shape), tuple({{ check.shape }}))
            self.assertEqual({{ check.result }}.dtype, {{ check.dtype }})
{% endfor %}
{% endfor %}
