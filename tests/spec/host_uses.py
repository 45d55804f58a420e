"""The uses that were looked at, each with why a program can choose neither the name, nor the template, nor the object.

Where a use is not here it is refused; where one is here that is no longer, the table is to be mended.
"""

from __future__ import annotations

# A loop over names that stand in the source, or a name that stands in a table of a class of ours.
LISTED = {
    "engine/dispatch/below_autograd.py": "_written engage",
    "engine/dispatch/on_sparse.py": "_of_entries",
    "engine/dispatch/overriding.py": "engage",
    "engine/dispatch/steps_told.py": "_converts.steps",
    "engine/own_init.py": "_own",
    "engine/properties.py": "sealed",
    "engine/registry.py": "<module> Op.__init__",
    "utils/_python_dispatch.py": "is_traceable_wrapper_subclass",
    "utils/_selective.py": "<module>",
    "engine/ops/reduce/extrema.py": "_along_one _place",
    "engine/calls/given_outputs.py": "_refuse_other_kind",
    "engine/guard/outside.py": "named_after",
    "engine/numeric/bfloat16.py": "Brain.__array_ufunc__ _Computed._called",
    "engine/numeric/sparse.py": "Sparse.__array_ufunc__",
    "engine/printing.py": "get_printoptions",
    "engine/walk/order.py": "<module>",
    "nn/modules/activation.py": "Hardtanh.__init__ MultiheadAttention.__init__",
    "nn/modules/lazy.py": "_Lazy._forget_numbers _Lazy.initialize_parameters",
    "nn/base/options.py": "Options.__init__ function",
    "nn/modules/pooling.py": "AvgPool1d.__init__ _MaxUnpoolNd.__init__",
    "spec/guard/library_calls.py": "_may_be_given",
    "spec/language/first_steps.py": "_held _of_attribute",
    "spec/guard/size_limits.py": "Caps.set_aside Caps.take_up",
    "spec/stdlib/random_numbers.py": "<module> _tried.draw",
    "spec/values/members.py": "_by_name _of_super found_by",
    "spec/values/classes/metaclasses.py": "<module> _answering found_in_line",
    "spec/torch_names/names.py": "_functional _graph _nn_file.get _torch _without_grad_names",
    "spec/node_names.py": "_words",
    "spec/language/interpreter.py": "_read",
    "spec/stdlib/small_numpy/arguments.py": "of_one",
    "spec/stdlib/small_numpy/array_api.py": "_running _unique",
    "spec/stdlib/small_numpy/counts.py": "_searched _spread",
    "spec/stdlib/small_numpy/matrices.py": "_solving",
    "spec/stdlib/small_numpy/making.py": "_as_array _filled _like _spaced",
    "spec/stdlib/small_numpy/names.py": "_each _joined _laid_out _of_each _product numpy",
    "spec/stdlib/small_numpy/number_types.py": "_asked _facts _of_types",
    "spec/stdlib/small_numpy/parts.py": "_triangle",
    "spec/stdlib/small_numpy/polynomial_families.py": "names",
    "spec/stdlib/small_numpy/polynomials.py": "of_polynomials",
    "spec/stdlib/small_numpy/quiet.py": "_at_some quiet",
    "spec/stdlib/small_numpy/random_arrays.py": "_drawn.call _sized",
    "spec/stdlib/small_numpy/shown.py": "_number_shown _shown",
    "spec/stdlib/small_numpy/text_functions.py": "_of_arrays _of_lists",
    "spec/stdlib/small_numpy/ufuncs.py": "with_methods",
    "spec/stdlib/small_numpy/waves.py": "_frequencies _shifted _transform _transforms _window",
    "spec/values/text_arrays.py": "_of_array",
    "spec/input/parse.py": "_chained extent_of parts_of",
    "spec/values/classes/derived_scalars.py": "<module> give_operators",
    "spec/values/classes/data_classes.py": "_comparing _row",
    "spec/values/classes/sealed_classes.py": "sealed",
    "spec/stdlib/function_tools.py": "_wraps.rename",
    "spec/stdlib/iterators.py": "itertools.picked",
    "spec/stdlib/mathematics.py": "cmath math",
    "spec/stdlib/modules.py": "_strings _timing",
    "spec/values/tables/containers.py": "_growing _of_sets _weighing",
    "spec/values/tables/modules.py": "table_of",
    "spec/values/tables/optimisers.py": "_copied.read held_by_schedule",
    "spec/values/tables/strings.py": "_padded",
    "spec/values/tables/table.py": "attributes own_methods",
    "spec/values/tables/arrays.py": "_by _flat _reduction",
    "spec/values/tables/tensors.py": "_load _of_its_class.call _set",
    "spec/guard/process_limits.py": "Held.start",
    "testing.py": "_tensors",
}

# Loads a module of ours, whose name stands in a table of the source, or the names of one.
LOADING = {
    "__init__.py": "_find",
    "autograd.py": "__dir__ _find _find_of_checks _find_of_profiler",
    "engine/random/normal.py": "exactly",
    "engine/methods.py": "<module> Later.__set__ Later._found",
    "jit.py": "__getattr__ compile",
    "engine/complex_twins.py": "_called call_on_complex",
    "engine/parts.py": "part parts _door",
    "engine/tensor.py": "_overriding",
    "overrides.py": "_module _public",
    "utils/checkpoint.py": "__getattr__",
    "engine/offers.py": "_for_python find load_all door.get door.listed package_door.find",
    "engine/ops/__init__.py": "__getattr__",
    "namespace.py": "<module> _find _reach",
    "nn/modules/__init__.py": "__getattr__",
    "nn/utils/__init__.py": "__getattr__",
    "spec/torch_names/names.py": "_data _fixed.get _nn_get _optim_get _ours _public _schedulers",
    "spec/guard/costs/declared.py": "estimator_of",
    "spec/values/classes/sealed_classes.py": "known_as",
    "spec/stdlib/modules.py": "_from.make",
    "spec/values/tables/loading.py": "table_of",
    "spec/values/tables/modules.py": "with_public",
    "spec/values/tables/table.py": "Tables.derived _reader_of",
}

# The name begins, and ends, as the source says: a number or a list of ours is all that is put into it.
BEGUN = {
    "engine/graph.py": "Node.__init_subclass__",
    "nn/modules/rnn.py": "RNNBase._make_weights",
    "spec/values/tables/graphs.py": "_saved",
}

# One name, or one table, that the host itself put there, or a name that was found in such a table just before.
KEPT = {
    "backends.py": "_ForAWhile.__enter__ _ForAWhile.__exit__",
    "engine/forward/duals.py": "Duals.applied",
    "engine/guard/trusted_classes.py": "defined",
    "engine/ops/aten_names.py": "Packet.__reduce__",
    "nn/base/holder.py": "member table_of",
    "nn/base/hooked_call.py": "_around _before _call_what_is_left _called",
    "nn/modules/lazy.py": "LazyModuleMixin._wait _initialize _take_shapes",
    "nn/modules/module.py": "Module.__call__ Module.__init__ Module.__setstate__ _held hang_hook",
    "nn/modules/transformer.py": "_Layer.__getstate__",
    "nn/modules/container.py": "ParameterDict.popitem _tables",
    "nn/utils/parametrize.py": "_deep_copy register_parametrization",
    "nn/utils/reweighting.py": "Reweighting.__call__ SpectralNorm.apply SpectralNorm.remove WeightNorm.apply _take",
    "nn/base/state.py": "_own hang",
    "optim/optimizer.py": "Optimizer.__init__ Optimizer.__setstate__",
    "optim/saving.py": "kept take_over",
    "spec/guard/costs/layers.py": "_call_of_class.estimate",
    "spec/values/models.py": "_tensors_of",
    "spec/values/classes/tensor_classes.py": "_engage",
    "spec/stdlib/files/saved_bytes.py": "_refuse_others",
    "spec/values/tables/modules.py": (
        "Registered.__delitem__ Registered.__init__ Registered.__setitem__ _hung member _members emptied.empty "
        "held_by is_shown_of"
    ),
}

# Of a class or an instance of the program's own, or of what the library's own user gave it.
OWN = {
    "engine/tensor.py": "Tensor.__copy__ Tensor._own_attributes Tensor.__deepcopy__ _rebuilt",
    "engine/guard/outside.py": "Outside.attributes Outside.take",
    "serialization.py": "_Weights._build",
    "spec/guard/handed_values.py": "Handed.around",
    "spec/guard/library_calls.py": "_defined",
    "spec/stdlib/files/pickles.py": "_Walk.container _set_state",
    "spec/stdlib/files/saving.py": "_says_itself refuse_unpicklable",
    "spec/stdlib/function_tools.py": "Partial.__init__",
    "spec/values/tables/functions.py": "_lose_attribute attributes_of_error hold_attribute",
    "spec/values/classes/enumerations.py": "EnumType.__init__ _first_names",
    "spec/values/classes/making_classes.py": "hook_of reduced_plainly says_its_parts told_from_outside",
    "spec/values/members.py": "names _space_of _space_of_python _takes <module>",
    "spec/node_names.py": "_items",
    "spec/values/user_definitions.py": "<module> declared hook_of put_in take_out",
    "spec/values/classes/data_classes.py": "_add_methods _field note_abstract runtime_checkable",
    "spec/guard/reserved_names.py": "refuse_reserved_names",
}

# Asked by the interpreter's attributes or the engine, which look at the name first.
ASKED = {
    "engine/tape/before.py": "Before.__getattr__",
    "nn/base/everywhere.py": "WithTables.__setattr__",
    "nn/base/eval_frame.py": "OptimizedModule.__getattr__ OptimizedModule.__setattr__",
    "nn/base/holder.py": "Holder.__delattr__ Holder.__getattr__ Holder.__setattr__",
    # A public name of a layer's method, and a function of the program's, or what was there.
    "spec/values/added_to.py": "_put _put_back replace",
    "spec/values/attributes.py": "assign delete get",
    "spec/values/copying.py": "shallow_copy",
    "spec/values/members.py": "_of_instance _drop _hold _write assign get lose",
    "spec/torch_names/names.py": "_flags",
    "utils/data/dataloader.py": "DataLoader.__setattr__",
}

# Tells no more than that there is something of the name.
TOLD = {
    "spec/language/calls.py": "_method.run",
    "nn/base/holder.py": "Holder.__dir__ _check_name has",
    "spec/values/added_to.py": "_has in_place",
    "spec/values/attributes.py": "names",
    "spec/values/bound_methods.py": "place_of",
    "spec/values/special_names.py": "has has_method",
    "spec/guard/foreign_callables.py": "_is_ours",
    "spec/values/visible_types.py": "_renamed",
    "spec/values/classes/making_classes.py": "called_by_host",
    "spec/guard/reserved_names.py": "_own",
}

# In a module that Python alone runs as such: a program runs it, or what it has by its name, in the spec language.
PYTHONS = {
    "nn/utils/prune.py": (
        "BasePruningMethod.__call__ BasePruningMethod.apply BasePruningMethod.apply_mask BasePruningMethod.remove "
        "global_unstructured"
    ),
    "engine/memory/swapping.py": "swap_tensors",
    "engine/transforms/pytree_paths.py": "GetAttrKey.get",
}

# Fills in no template: Python's module `traceback` has a method of that name.
PLAIN = {"spec/stdlib/exceptions/trails.py": "_shown"}

REVIEWED = (PYTHONS, PLAIN, LISTED, LOADING, BEGUN, KEPT, OWN, ASKED, TOLD)
