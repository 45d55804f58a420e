tear down TestMore
15 0 0 ['in base'] True
['test_bn', 'test_ce', 'test_conv', 'test_extra', 'test_gradcheck', 'test_gru', 'test_raises', 'test_warns']
tear down TestMore
<unittest.result.TestResult run=2 errors=0 failures=0>
