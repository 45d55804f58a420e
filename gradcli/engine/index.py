"""For each place, the modules of the engine that declare names there, and the names.

Derived from the declarations: `python -m tests.engine.write_index` writes this file.
"""

INDEX = {
    "torch": """\
amp autocast
finfo finfo iinfo
ops.indexing.gather_scatter gather put scatter scatter_add take take_along_dim
ops.indexing.index_select index_add index_copy index_fill index_select
ops.indexing.masked argwhere masked_scatter masked_select nonzero
ops.indexing.scatter_reduce index_reduce scatter_reduce
ops.indexing.subscripts index_put
ops.loss.binary_cross_entropy binary_cross_entropy_with_logits
ops.loss.similarity cosine_embedding_loss cosine_similarity margin_ranking_loss pairwise_distance
ops.make.converting can_cast channels_last channels_last_3d clone conj contiguous_format detach imag is_complex
ops.make.converting is_floating_point is_nonzero is_same_size is_tensor numel preserve_format promote_types real
ops.make.converting resolve_conj resolve_neg result_type
ops.make.filled empty empty_like empty_strided eye full full_like ones ones_like scalar_tensor zeros zeros_like
ops.make.from_data BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor
ops.make.from_data as_tensor asarray from_numpy
ops.make.machine are_deterministic_algorithms_enabled get_default_device get_device get_float32_matmul_precision
ops.make.machine get_num_interop_threads get_num_threads is_deterministic_algorithms_warn_only_enabled is_inference
ops.make.machine set_default_device set_default_tensor_type set_float32_matmul_precision set_num_interop_threads
ops.make.machine set_num_threads typename use_deterministic_algorithms
ops.make.random Generator bernoulli default_generator get_rng_state initial_seed manual_seed multinomial normal rand
ops.make.random rand_like randint randint_like randn randn_like randperm seed set_rng_state
ops.make.ranges arange linspace logspace
ops.matrix.addmm addbmm addmm addmv addr baddbmm
ops.matrix.cdist cdist
ops.matrix.decompositions qr svd
ops.matrix.einsum einsum
ops.matrix.inverse det inverse logdet matrix_power slogdet
ops.matrix.matmul bmm dot matmul mm mv vdot
ops.matrix.matrix_functions matrix_exp pinverse
ops.matrix.products chain_matmul cross ger inner kron outer tensordot
ops.matrix.triangular cholesky cholesky_inverse cholesky_solve triangular_solve
ops.nn.batch_norm batch_norm
ops.nn.convolution conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
ops.nn.dropout alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout feature_alpha_dropout_
ops.nn.dropout feature_dropout feature_dropout_ rrelu rrelu_
ops.nn.embedding embedding
ops.nn.exponential_units celu selu selu_
ops.nn.grid_sample affine_grid_generator grid_sampler
ops.nn.group_norm group_norm native_group_norm
ops.nn.image_blocks channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle
ops.nn.layer_norm layer_norm native_layer_norm rms_norm
ops.nn.rectifiers hardshrink prelu relu threshold
ops.nn.recurrent_cells gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell
ops.nn.softmax log_softmax softmax
ops.nn.weight_norm _weight_norm norm_except_dim
ops.pointwise.arith add addcdiv addcmul div divide lerp mul multiply neg negative positive rsub sub subtract true_divide
ops.pointwise.choosing clamp clamp_max clamp_min clip fmax fmin masked_fill maximum minimum where
ops.pointwise.comparison allclose bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
ops.pointwise.comparison eq equal gcd ge greater greater_equal gt isclose lcm le less less_equal logical_and logical_not
ops.pointwise.comparison logical_or logical_xor lt ne not_equal
ops.pointwise.elementary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad
ops.pointwise.elementary exp exp2 expm1 log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.pointwise.kinked abs absolute angle ceil fix floor frac frexp isfinite isinf isnan isneginf isposinf isreal
ops.pointwise.kinked nan_to_num round sgn sign signbit sinc trunc
ops.pointwise.overwriting abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_
ops.pointwise.overwriting atanh_ ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_
ops.pointwise.overwriting exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_
ops.pointwise.overwriting log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_
ops.pointwise.overwriting sinc_ sinh_ sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_ zero_
ops.pointwise.power float_power pow square
ops.pointwise.python_functions fill unravel_index
ops.pointwise.remainders floor_divide fmod remainder
ops.pointwise.special digamma erf erfc erfinv i0 lgamma logit mvlgamma polygamma
ops.pointwise.two_operands arctan2 atan2 copysign heaviside hypot ldexp logaddexp logaddexp2 nextafter xlogy
ops.pool.avg_pool adaptive_avg_pool1d avg_pool1d
ops.pool.max_pool adaptive_max_pool1d max_pool1d max_pool2d
ops.pool.pool_3d max_pool3d
ops.reduce.any_all all any count_nonzero
ops.reduce.counting bincount bucketize histc isin searchsorted unique unique_consecutive
ops.reduce.covariance corrcoef cov
ops.reduce.cumulative cummax cummin cumprod cumsum logcumsumexp
ops.reduce.differences cumulative_trapezoid diff trapezoid trapz
ops.reduce.extrema amax amin aminmax argmax argmin max min
ops.reduce.prod prod
ops.reduce.quantile nanquantile quantile
ops.reduce.sorting argsort kthvalue median mode msort nanmedian sort topk
ops.reduce.sums logsumexp mean nanmean nansum sum trace
ops.reduce.variance std std_mean var var_mean
ops.reduce.vector_norms dist norm renorm
ops.shape.joining block_diag cartesian_prod cat column_stack combinations concat concatenate dstack hstack meshgrid
ops.shape.joining row_stack stack vstack
ops.shape.reordering diag diag_embed diagflat flip fliplr flipud repeat_interleave roll rot90 tile tril tril_indices
ops.shape.reordering triu triu_indices
ops.shape.replacing_a_part diagonal_scatter select_scatter slice_scatter
ops.shape.reshaping adjoint atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to flatten
ops.shape.reshaping moveaxis movedim narrow permute ravel reshape select swapaxes unflatten
ops.shape.splitting chunk dsplit hsplit split tensor_split unbind vsplit
ops.shape.strides as_strided
ops.shape.views diagonal squeeze swapdims t transpose unsqueeze
printing set_printoptions
transforms.vmap vmap
""",
    "Tensor": """\
inplace __setitem__ copy_ fill_ zero_
ops.indexing.gather_scatter gather put scatter scatter_add take take_along_dim
ops.indexing.index_select index_add index_copy index_fill index_select
ops.indexing.masked argwhere masked_scatter masked_select nonzero
ops.indexing.scatter_reduce index_reduce scatter_reduce
ops.indexing.subscripts __getitem__ index_put
ops.make.converting bool byte cdouble cfloat char clone conj contiguous double float half imag int is_nonzero
ops.make.converting is_same_size is_signed long real resolve_conj resolve_neg short to type type_as
ops.make.drawn_in_place bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_
ops.make.filled new_empty new_empty_strided new_full new_ones new_tensor new_zeros
ops.make.from_data new
ops.make.machine cuda get_device is_pinned is_shared
ops.make.random bernoulli multinomial
ops.matrix.addmm addbmm addmm addmv addr baddbmm
ops.matrix.decompositions qr svd
ops.matrix.inverse det inverse logdet matrix_power slogdet
ops.matrix.matmul __matmul__ __rmatmul__ bmm dot matmul mm mv vdot
ops.matrix.matrix_functions matrix_exp pinverse
ops.matrix.products cross ger inner kron outer
ops.matrix.triangular cholesky cholesky_inverse cholesky_solve triangular_solve
ops.nn.rectifiers hardshrink prelu relu
ops.nn.softmax log_softmax softmax
ops.pointwise.arith __add__ __div__ __mul__ __neg__ __pos__ __radd__ __rdiv__ __rmul__ __rsub__ __rtruediv__ __sub__
ops.pointwise.arith __truediv__ add addcdiv addcmul div divide lerp mul multiply neg negative positive sub subtract
ops.pointwise.arith true_divide
ops.pointwise.choosing clamp clamp_max clamp_min clip fmax fmin masked_fill maximum minimum where
ops.pointwise.comparison __and__ __eq__ __ge__ __gt__ __invert__ __le__ __lshift__ __lt__ __ne__ __or__ __rand__
ops.pointwise.comparison __rlshift__ __ror__ __rrshift__ __rshift__ __rxor__ __xor__ allclose bitwise_and
ops.pointwise.comparison bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor eq equal gcd ge
ops.pointwise.comparison greater greater_equal gt isclose lcm le less less_equal logical_and logical_not logical_or
ops.pointwise.comparison logical_xor lt ne not_equal
ops.pointwise.elementary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad
ops.pointwise.elementary exp exp2 expm1 log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.pointwise.kinked __abs__ abs absolute angle ceil fix floor frac frexp isfinite isinf isnan isneginf isposinf isreal
ops.pointwise.kinked nan_to_num round sgn sign signbit sinc trunc
ops.pointwise.power __pow__ __rpow__ float_power pow square
ops.pointwise.python_functions apply_ map_
ops.pointwise.remainders __floordiv__ __mod__ __rfloordiv__ __rmod__ floor_divide fmod remainder
ops.pointwise.special digamma erf erfc erfinv i0 lgamma logit multigammaln mvlgamma polygamma
ops.pointwise.two_operands arctan2 atan2 copysign heaviside hypot ldexp logaddexp logaddexp2 nextafter xlogy
ops.reduce.any_all all any count_nonzero
ops.reduce.counting bincount histc unique unique_consecutive
ops.reduce.covariance corrcoef cov
ops.reduce.cumulative cummax cummin cumprod cumsum logcumsumexp
ops.reduce.differences diff
ops.reduce.extrema amax amin aminmax argmax argmin max min
ops.reduce.prod prod
ops.reduce.quantile nanquantile quantile
ops.reduce.sorting argsort kthvalue median mode msort nanmedian sort topk
ops.reduce.sums logsumexp mean nanmean nansum sum sum_to_size trace
ops.reduce.variance std var
ops.reduce.vector_norms dist norm renorm
ops.shape.reordering diag diag_embed diagflat flip fliplr flipud repeat repeat_interleave roll rot90 tile tril triu
ops.shape.replacing_a_part diagonal_scatter select_scatter slice_scatter
ops.shape.reshaping H T adjoint broadcast_to expand expand_as flatten mH mT moveaxis movedim narrow permute ravel
ops.shape.reshaping reshape reshape_as select swapaxes unflatten view view_as
ops.shape.splitting chunk dsplit hsplit split split_with_sizes tensor_split unbind vsplit
ops.shape.strides as_strided fill_diagonal_ unfold
ops.shape.views diagonal squeeze swapdims t transpose unsqueeze
""",
    "Tensor_": """\
ops.indexing.gather_scatter put scatter scatter_add
ops.indexing.index_select index_add index_copy index_fill
ops.indexing.masked masked_scatter
ops.indexing.scatter_reduce index_reduce scatter_reduce
ops.indexing.subscripts index_put
ops.matrix.addmm addbmm addmm addmv addr baddbmm
ops.nn.rectifiers relu
ops.pointwise.arith add addcdiv addcmul div divide lerp mul multiply neg negative sub subtract true_divide
ops.pointwise.choosing clamp clamp_max clamp_min clip masked_fill
ops.pointwise.comparison bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd lcm
ops.pointwise.comparison logical_and logical_not logical_or logical_xor
ops.pointwise.elementary acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh deg2rad
ops.pointwise.elementary exp exp2 expm1 log log10 log1p log2 rad2deg reciprocal rsqrt sigmoid sin sinh sqrt tan tanh
ops.pointwise.kinked abs absolute ceil fix floor frac nan_to_num round sgn sign sinc trunc
ops.pointwise.power float_power pow square
ops.pointwise.remainders floor_divide fmod remainder
ops.pointwise.special digamma erf erfc erfinv i0 lgamma logit mvlgamma polygamma
ops.pointwise.two_operands arctan2 atan2 copysign heaviside hypot ldexp nextafter xlogy
ops.reduce.cumulative cumprod cumsum
ops.reduce.vector_norms renorm
ops.shape.reordering tril triu
""",
    "F": """\
ops.loss.binary_cross_entropy binary_cross_entropy binary_cross_entropy_with_logits
ops.loss.class_margins multi_margin_loss multilabel_margin_loss
ops.loss.cross_entropy cross_entropy nll_loss
ops.loss.ctc ctc_loss
ops.loss.likelihood gaussian_nll_loss kl_div poisson_nll_loss
ops.loss.regression huber_loss l1_loss mse_loss smooth_l1_loss soft_margin_loss
ops.loss.similarity cosine_embedding_loss cosine_similarity hinge_embedding_loss margin_ranking_loss
ops.loss.similarity multilabel_soft_margin_loss normalize pairwise_distance triplet_margin_loss
ops.loss.similarity triplet_margin_with_distance_loss
ops.matrix.addmm linear
ops.matrix.products bilinear
ops.nn.attention scaled_dot_product_attention
ops.nn.batch_norm batch_norm instance_norm
ops.nn.convolution conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
ops.nn.dropout alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout gumbel_softmax rrelu rrelu_
ops.nn.embedding embedding one_hot
ops.nn.embedding_bag embedding_bag
ops.nn.exponential_units celu elu selu selu_
ops.nn.grid_sample affine_grid grid_sample
ops.nn.group_norm group_norm
ops.nn.image_blocks channel_shuffle fold native_channel_shuffle pixel_shuffle pixel_unshuffle unfold
ops.nn.layer_norm layer_norm rms_norm
ops.nn.rectifiers hardshrink hardsigmoid hardswish hardtanh leaky_relu prelu relu relu6 softshrink threshold
ops.nn.resizing interpolate upsample upsample_bilinear upsample_nearest
ops.nn.smooth_activations gelu glu logsigmoid mish silu softplus softsign tanhshrink
ops.nn.softmax log_softmax softmax softmin
ops.pointwise.elementary sigmoid tanh
ops.pointwise.overwriting celu_ elu_ hardtanh_ leaky_relu_ relu_ threshold_
ops.pool.adaptive_3d adaptive_avg_pool3d adaptive_max_pool3d
ops.pool.avg_pool adaptive_avg_pool1d adaptive_avg_pool2d avg_pool1d avg_pool2d
ops.pool.max_pool adaptive_max_pool1d adaptive_max_pool2d max_pool1d max_pool2d
ops.pool.pool_3d avg_pool3d max_pool3d
ops.pool.power_pool local_response_norm lp_pool1d lp_pool2d lp_pool3d
ops.pool.unpool max_unpool1d max_unpool2d max_unpool3d
ops.shape.padding pad
""",
    "linalg": """\
ops.matrix.conditioning cond diagonal tensorinv tensorsolve vander
ops.matrix.decompositions eigh eigvalsh qr svd svdvals
ops.matrix.inverse det inv inv_ex matrix_power slogdet solve solve_ex
ops.matrix.matmul matmul
ops.matrix.matrix_functions lstsq matrix_exp matrix_rank pinv
ops.matrix.products cross multi_dot outer vecdot
ops.matrix.square LinAlgError
ops.matrix.triangular cholesky cholesky_ex solve_triangular
ops.reduce.vector_norms matrix_norm norm vector_norm
""",
    "special": """\
ops.nn.softmax log_softmax softmax
ops.pointwise.elementary exp2 expit expm1 log1p
ops.pointwise.kinked round sinc
ops.pointwise.special digamma entr erf erfc erfcx erfinv gammaln i0 i0e i1 i1e log_ndtr logit multigammaln ndtr ndtri
ops.pointwise.special polygamma psi zeta
ops.pointwise.two_operands xlog1py xlogy
ops.reduce.sums logsumexp
""",
}
