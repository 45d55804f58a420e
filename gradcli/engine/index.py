"""For each place, the modules of the engine that declare names there, and the names.

Derived from the declarations: `python -m tests.engine.write_index` writes this file.
"""

INDEX = {
    "torch": """\
amp autocast
batching vmap
ops.activation hardshrink prelu relu threshold
ops.affine addbmm addmm addmv addr baddbmm
ops.along index_add index_copy index_fill index_select
ops.arith add addcdiv addcmul div divide lerp mul multiply neg negative positive rsub sub subtract true_divide
ops.arrange diag diag_embed diagflat flip fliplr flipud repeat_interleave roll rot90 tile tril tril_indices triu
ops.arrange triu_indices
ops.avgpool adaptive_avg_pool1d avg_pool1d
ops.batchnorm batch_norm
ops.binary binary_cross_entropy_with_logits
ops.blocks channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle
ops.collect index_reduce scatter_reduce
ops.compare allclose bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor eq equal gcd
ops.compare ge greater greater_equal gt isclose lcm le less less_equal logical_and logical_not logical_or logical_xor lt
ops.compare ne not_equal
ops.convert can_cast channels_last channels_last_3d clone conj contiguous_format detach imag is_complex
ops.convert is_floating_point is_nonzero is_same_size is_tensor numel preserve_format promote_types real resolve_conj
ops.convert resolve_neg result_type
ops.convolve conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
ops.counting bincount bucketize histc isin searchsorted unique unique_consecutive
ops.create empty empty_like empty_strided eye full full_like ones ones_like scalar_tensor zeros zeros_like
ops.decompose qr svd
ops.distance cdist
ops.dropout alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout
ops.dropout feature_dropout_ rrelu rrelu_
ops.einsum einsum
ops.elements fill unravel_index
ops.embed embedding
ops.exponential celu selu selu_
ops.extrema amax amin aminmax argmax argmin max min
ops.forms adjoint atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to flatten moveaxis
ops.forms movedim narrow permute ravel reshape select swapaxes unflatten
ops.gather gather put scatter scatter_add take take_along_dim
ops.given BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor
ops.given as_tensor asarray from_numpy
ops.grid affine_grid_generator grid_sampler
ops.groupnorm group_norm native_group_norm
ops.host are_deterministic_algorithms_enabled get_default_device get_device get_float32_matmul_precision
ops.host get_num_interop_threads get_num_threads is_deterministic_algorithms_warn_only_enabled is_inference
ops.host set_default_device set_default_tensor_type set_float32_matmul_precision set_num_interop_threads set_num_threads
ops.host typename use_deterministic_algorithms
ops.index index_put
ops.join block_diag cartesian_prod cat column_stack combinations concat concatenate dstack hstack meshgrid row_stack
ops.join stack vstack
ops.linalg det inverse logdet matrix_power slogdet
ops.margin cosine_embedding_loss cosine_similarity margin_ranking_loss pairwise_distance
ops.masked argwhere masked_scatter masked_select nonzero
ops.matfun matrix_exp pinverse
ops.matmul bmm dot matmul mm mv vdot
ops.maxpool adaptive_max_pool1d max_pool1d max_pool2d
ops.multiples prod
ops.norm layer_norm native_layer_norm rms_norm
ops.order argsort kthvalue median mode msort nanmedian sort topk
ops.pairs arctan2 atan2 copysign heaviside hypot ldexp logaddexp logaddexp2 nextafter xlogy
ops.part chunk dsplit hsplit split tensor_split unbind vsplit
ops.patch diagonal_scatter select_scatter slice_scatter
ops.pool3d max_pool3d
ops.power float_power pow square
ops.products chain_matmul cross ger inner kron outer tensordot
ops.quantile nanquantile quantile
ops.random Generator bernoulli default_generator get_rng_state initial_seed manual_seed multinomial normal rand
ops.random rand_like randint randint_like randn randn_like randperm seed set_rng_state
ops.ranges arange linspace logspace
ops.recurrent gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell
ops.reduce logsumexp mean nanmean nansum sum trace
ops.rounding floor_divide fmod remainder
ops.sampled cumulative_trapezoid diff trapezoid trapz
ops.scan cummax cummin cumprod cumsum logcumsumexp
ops.select clamp clamp_max clamp_min clip fmax fmin masked_fill maximum minimum where
ops.shape diagonal squeeze swapdims t transpose unsqueeze
ops.softmax log_softmax softmax
ops.special digamma erf erfc erfinv i0 lgamma logit mvlgamma polygamma
ops.statistics corrcoef cov
ops.steps abs absolute angle ceil fix floor frac frexp isfinite isinf isnan isneginf isposinf isreal nan_to_num round
ops.steps sgn sign signbit sinc trunc
ops.strides as_strided
ops.triangular cholesky cholesky_inverse cholesky_solve triangular_solve
ops.truth all any count_nonzero
ops.unary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad exp exp2 expm1
ops.unary log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.variance std std_mean var var_mean
ops.vectornorm dist norm renorm
ops.weightnorm _weight_norm norm_except_dim
ops.written abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_
ops.written celu_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_
ops.written floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_
ops.written rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold_
ops.written trunc_ xlogy_ zero_
precision finfo iinfo
printing set_printoptions
""",
    "Tensor": """\
inplace __setitem__ copy_ fill_ zero_
ops.activation hardshrink prelu relu
ops.affine addbmm addmm addmv addr baddbmm
ops.along index_add index_copy index_fill index_select
ops.arith __add__ __div__ __mul__ __neg__ __pos__ __radd__ __rdiv__ __rmul__ __rsub__ __rtruediv__ __sub__ __truediv__
ops.arith add addcdiv addcmul div divide lerp mul multiply neg negative positive sub subtract true_divide
ops.arrange diag diag_embed diagflat flip fliplr flipud repeat repeat_interleave roll rot90 tile tril triu
ops.collect index_reduce scatter_reduce
ops.compare __and__ __eq__ __ge__ __gt__ __invert__ __le__ __lshift__ __lt__ __ne__ __or__ __rand__ __rlshift__ __ror__
ops.compare __rrshift__ __rshift__ __rxor__ __xor__ allclose bitwise_and bitwise_left_shift bitwise_not bitwise_or
ops.compare bitwise_right_shift bitwise_xor eq equal gcd ge greater greater_equal gt isclose lcm le less less_equal
ops.compare logical_and logical_not logical_or logical_xor lt ne not_equal
ops.convert bool byte cdouble cfloat char clone conj contiguous double float half imag int is_nonzero is_same_size
ops.convert is_signed long real resolve_conj resolve_neg short to type type_as
ops.counting bincount histc unique unique_consecutive
ops.create new_empty new_empty_strided new_full new_ones new_tensor new_zeros
ops.decompose qr svd
ops.draws bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_
ops.elements apply_ map_
ops.extrema amax amin aminmax argmax argmin max min
ops.forms H T adjoint broadcast_to expand expand_as flatten mH mT moveaxis movedim narrow permute ravel reshape
ops.forms reshape_as select swapaxes unflatten view view_as
ops.gather gather put scatter scatter_add take take_along_dim
ops.given new
ops.host cuda get_device is_pinned is_shared
ops.index __getitem__ index_put
ops.linalg det inverse logdet matrix_power slogdet
ops.masked argwhere masked_scatter masked_select nonzero
ops.matfun matrix_exp pinverse
ops.matmul __matmul__ __rmatmul__ bmm dot matmul mm mv vdot
ops.multiples prod
ops.order argsort kthvalue median mode msort nanmedian sort topk
ops.pairs arctan2 atan2 copysign heaviside hypot ldexp logaddexp logaddexp2 nextafter xlogy
ops.part chunk dsplit hsplit split split_with_sizes tensor_split unbind vsplit
ops.patch diagonal_scatter select_scatter slice_scatter
ops.power __pow__ __rpow__ float_power pow square
ops.products cross ger inner kron outer
ops.quantile nanquantile quantile
ops.random bernoulli multinomial
ops.reduce logsumexp mean nanmean nansum sum sum_to_size trace
ops.rounding __floordiv__ __mod__ __rfloordiv__ __rmod__ floor_divide fmod remainder
ops.sampled diff
ops.scan cummax cummin cumprod cumsum logcumsumexp
ops.select clamp clamp_max clamp_min clip fmax fmin masked_fill maximum minimum where
ops.shape diagonal squeeze swapdims t transpose unsqueeze
ops.softmax log_softmax softmax
ops.special digamma erf erfc erfinv i0 lgamma logit multigammaln mvlgamma polygamma
ops.statistics corrcoef cov
ops.steps __abs__ abs absolute angle ceil fix floor frac frexp isfinite isinf isnan isneginf isposinf isreal nan_to_num
ops.steps round sgn sign signbit sinc trunc
ops.strides as_strided fill_diagonal_ unfold
ops.triangular cholesky cholesky_inverse cholesky_solve triangular_solve
ops.truth all any count_nonzero
ops.unary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad exp exp2 expm1
ops.unary log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.variance std var
ops.vectornorm dist norm renorm
""",
    "Tensor_": """\
ops.activation relu
ops.affine addbmm addmm addmv addr baddbmm
ops.along index_add index_copy index_fill
ops.arith add addcdiv addcmul div divide lerp mul multiply neg negative sub subtract true_divide
ops.arrange tril triu
ops.collect index_reduce scatter_reduce
ops.compare bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd lcm logical_and
ops.compare logical_not logical_or logical_xor
ops.gather put scatter scatter_add
ops.index index_put
ops.masked masked_scatter
ops.pairs arctan2 atan2 copysign heaviside hypot ldexp nextafter xlogy
ops.power float_power pow square
ops.rounding floor_divide fmod remainder
ops.scan cumprod cumsum
ops.select clamp clamp_max clamp_min clip masked_fill
ops.special digamma erf erfc erfinv i0 lgamma logit mvlgamma polygamma
ops.steps abs absolute ceil fix floor frac nan_to_num round sgn sign sinc trunc
ops.unary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad exp exp2 expm1
ops.unary log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.vectornorm renorm
""",
    "F": """\
ops.activation hardshrink hardsigmoid hardswish hardtanh leaky_relu prelu relu relu6 softshrink threshold
ops.adaptive3d adaptive_avg_pool3d adaptive_max_pool3d
ops.affine linear
ops.attention scaled_dot_product_attention
ops.avgpool adaptive_avg_pool1d adaptive_avg_pool2d avg_pool1d avg_pool2d
ops.bags embedding_bag
ops.batchnorm batch_norm instance_norm
ops.binary binary_cross_entropy binary_cross_entropy_with_logits
ops.blocks channel_shuffle fold native_channel_shuffle pixel_shuffle pixel_unshuffle unfold
ops.classes cross_entropy nll_loss
ops.classmargin multi_margin_loss multilabel_margin_loss
ops.convolve conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
ops.ctc ctc_loss
ops.dropout alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout gumbel_softmax rrelu rrelu_
ops.embed embedding one_hot
ops.exponential celu elu selu selu_
ops.grid affine_grid grid_sample
ops.groupnorm group_norm
ops.likelihood gaussian_nll_loss kl_div poisson_nll_loss
ops.loss huber_loss l1_loss mse_loss smooth_l1_loss soft_margin_loss
ops.margin cosine_embedding_loss cosine_similarity hinge_embedding_loss margin_ranking_loss multilabel_soft_margin_loss
ops.margin normalize pairwise_distance triplet_margin_loss triplet_margin_with_distance_loss
ops.maxpool adaptive_max_pool1d adaptive_max_pool2d max_pool1d max_pool2d
ops.norm layer_norm rms_norm
ops.pad pad
ops.pool3d avg_pool3d max_pool3d
ops.powerpool local_response_norm lp_pool1d lp_pool2d lp_pool3d
ops.products bilinear
ops.resize interpolate upsample upsample_bilinear upsample_nearest
ops.smooth gelu glu logsigmoid mish silu softplus softsign tanhshrink
ops.softmax log_softmax softmax softmin
ops.unary sigmoid tanh
ops.unpool max_unpool1d max_unpool2d max_unpool3d
ops.written celu_ elu_ hardtanh_ leaky_relu_ relu_ threshold_
""",
    "linalg": """\
ops.decompose eigh eigvalsh qr svd svdvals
ops.linalg det inv inv_ex matrix_power slogdet solve solve_ex
ops.matfun lstsq matrix_exp matrix_rank pinv
ops.matmul matmul
ops.matrices LinAlgError
ops.products cross multi_dot outer vecdot
ops.systems cond diagonal tensorinv tensorsolve vander
ops.triangular cholesky cholesky_ex solve_triangular
ops.vectornorm matrix_norm norm vector_norm
""",
    "special": """\
ops.pairs xlog1py xlogy
ops.reduce logsumexp
ops.softmax log_softmax softmax
ops.special digamma entr erf erfc erfcx erfinv gammaln i0 i0e i1 i1e log_ndtr logit multigammaln ndtr ndtri polygamma
ops.special psi zeta
ops.steps round sinc
ops.unary exp2 expit expm1 log1p
""",
}
