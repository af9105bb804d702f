# What belongs into test/core_tests/test_fake_tensor.py, where FakeTensorMode, TestCase, torch and torch_npu are known.
{% for op in ops %}


class Test{{ op.camel }}(TestCase):
    def test_{{ op.name }}_meta(self):
        with FakeTensorMode():
{% for line in op.arguments %}
            {{ line }}
{% endfor %}
            {{ op.call }}
{% for check in op.checks %}
            {{ check }}
{% endfor %}
{% endfor %}
