"""The uses that were looked at, each with why a program can choose neither the name, nor the template, nor the object.

Where a use is not here it is refused; where one is here that is no longer, the table is to be mended.
"""

from __future__ import annotations

# A loop over names that stand in the source, or a name that stands in a table of a class of ours.
LISTED = {
    "distributions.py": "Distribution.__repr__ Distribution._check _Chances.__getattr__",
    "engine/ops/extrema.py": "_along_one _place",
    "engine/outside.py": "named_after",
    "engine/printing.py": "get_printoptions",
    "engine/walk.py": "<module>",
    "nn/activations.py": "Hardtanh.__init__",
    "nn/attention.py": "MultiheadAttention.__init__",
    "nn/lazy.py": "_Lazy._forget_numbers _Lazy.initialize_parameters",
    "nn/options.py": "Options.__init__ function",
    "nn/pooling.py": "AvgPool1d.__init__ _MaxUnpool.__init__",
    "spec/border.py": "_may_be_given",
    "spec/caps.py": "Caps.set_aside Caps.take_up",
    "spec/draws.py": "<module>",
    "spec/members.py": "_of_super",
    "spec/names.py": "_functional _graph _torch _without_grad_names",
    "spec/naming.py": "_words",
    "spec/numeric.py": "_drawn.call _each _filled _joined _like _of_one _product _sized numpy",
    "spec/parse.py": "_chained extent_of",
    "spec/records.py": "_comparing _row",
    "spec/sealed.py": "sealed",
    "spec/standard.py": "_iterators.picked _math_table _strings _timing _wraps.rename",
    "spec/tables/containers.py": "_growing _of_sets _weighing",
    "spec/tables/modules.py": "table_of",
    "spec/tables/optimisers.py": "_copied.read",
    "spec/tables/strings.py": "_padded",
    "spec/tables/table.py": "attributes own_methods",
    "spec/tables/tensors.py": "_by _load _reduction",
    "spec/watch.py": "Held.start",
    "testing.py": "_tensors",
}

# Loads a module of ours, whose name stands in a table of the source, or the names of one.
LOADING = {
    "__init__.py": "__getattr__",
    "autograd.py": "__dir__ __getattr__",
    "engine/boxmuller.py": "exactly",
    "engine/methods.py": "<module> Later.__get__",
    "engine/offers.py": "_read door.get door.listed package_door.find",
    "engine/ops/__init__.py": "__getattr__",
    "namespace.py": "<module> _find",
    "spec/names.py": "_data _fixed.get _nn_get _optim_get _ours _public _schedulers",
    "spec/sealed.py": "known_as",
    "spec/standard.py": "_from.make",
    "spec/tables/distributions.py": "table_of",
    "spec/tables/loading.py": "table_of",
    "spec/tables/modules.py": "with_public",
    "spec/tables/table.py": "Tables.derived",
}

# The name begins, and ends, as the source says: a number or a list of ours is all that is put into it.
BEGUN = {
    "engine/graph.py": "Node.__init_subclass__",
    "nn/recurrent.py": "RNNBase._make_weights",
    "spec/interpreter/compiler.py": "Compiler.code",
    "spec/interpreter/generators.py": "Generators._pausing",
    "spec/interpreter/targets.py": "Targets.store",
    "spec/tables/graphs.py": "_saved",
}

# One name, or one table, that the host itself put there, or a name that was found in such a table just before.
KEPT = {
    "engine/ours.py": "defined",
    "nn/holder.py": "member",
    "nn/module.py": "Module.__call__ Module.__init__ _call_with_hooks _held _members hang_hook",
    "nn/parameters.py": "_tables",
    "nn/parametrize.py": "register_parametrization",
    "nn/reweight.py": "Reweighting.__call__ SpectralNorm.apply WeightNorm.apply _take",
    "nn/state.py": "_own",
    "optim/saving.py": "kept take_over",
    "spec/costs/drawing.py": "_parameters",
    "spec/costs/layers.py": "_call_of_class.estimate",
    "spec/models.py": "_tensors_of",
    "spec/tables/modules.py": "Registered.__delitem__ Registered.__init__ _member _members",
}

# Of a class or an instance of the program's own, or of what the library's own user gave it.
OWN = {
    "engine/outside.py": "Outside.attributes Outside.take",
    "spec/border.py": "_defined",
    "spec/enumerations.py": "EnumType.__init__",
    "spec/members.py": "names",
    "spec/naming.py": "_items",
    "spec/objects.py": "declared",
    "spec/records.py": "_add_methods _field _set note_abstract",
    "spec/reserved.py": "refuse_reserved_names",
}

# Asked by the interpreter's attributes or the engine, which look at the name first.
ASKED = {
    "engine/packing.py": "_Packer.__getattr__",
    "nn/holder.py": "Holder.__delattr__ Holder.__getattr__ Holder.__setattr__",
    "spec/attributes.py": "assign delete get",
    "spec/members.py": "_of_instance delete put",
    "spec/names.py": "_flags",
    "utils/data/dataloader.py": "DataLoader.__setattr__",
}

# Tells no more than that there is something of the name.
TOLD = {
    "nn/holder.py": "Holder.__dir__ _check_name has",
    "spec/attributes.py": "names place_of",
    "spec/foreign.py": "_is_ours",
    "spec/kinds.py": "_renamed",
    "spec/objects.py": "called_by_host",
    "spec/reserved.py": "_own",
}

REVIEWED = (LISTED, LOADING, BEGUN, KEPT, OWN, ASKED, TOLD)
