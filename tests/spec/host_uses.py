"""The uses that were looked at, one by one: why a program chooses neither the name, nor the template, nor the object.

Where a use is not here it is refused; where one is here that is no longer, the table is to be mended.
"""

from __future__ import annotations

# A loop over names that stand in the source beside it.
LISTED = {
    "distributions.py": "Distribution.__repr__ Distribution._check _Chances.__getattr__",
    "engine/ops/extrema.py": "_along_one _place",
    "engine/printing.py": "get_printoptions",
    "engine/walk.py": "<module>",
    "nn/activations.py": "Hardtanh.__init__",
    "nn/attention.py": "MultiheadAttention.__init__ MultiheadAttention._reset_parameters",
    "nn/conv.py": "_Conv.extra_repr",
    "nn/embedding.py": "Embedding.extra_repr EmbeddingBag.extra_repr",
    "nn/module.py": "Module._members",
    "nn/pooling.py": "AvgPool1d.__init__ _MaxUnpool.__init__",
    "nn/recurrent.py": "RNNBase.extra_repr",
    "nn/shapes.py": "Upsample.extra_repr",
    "nn/transformer.py": "_Layer._attend _activation",
    "spec/caps.py": "Caps.set_aside Caps.take_up",
    "spec/draws.py": "<module>",
    "spec/names.py": "_functional _graph _torch _without_grad_names",
    "spec/naming.py": "_words",
    "spec/numeric.py": "_drawn.call _each _filled _joined _like _of_one _product _sized numpy",
    "spec/parse.py": "_chained extent_of",
    "spec/records.py": "_comparing _row",
    "spec/sealed.py": "sealed",
    "spec/standard.py": "_iterators.picked _math_table _strings _timing _wraps.rename",
    "spec/tables/containers.py": "_growing _of_sets _weighing",
    "spec/tables/strings.py": "_padded",
    "spec/tables/table.py": "attributes own_methods",
    "spec/tables/tensors.py": "_by _load _reduction",
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
    "nn/conv.py": "_Forward.forward _Transposed.forward",
    "nn/parametrize.py": "ParametrizationList.forward ParametrizationList.right_inverse",
    "nn/recurrent.py": "RNNBase._make_weights",
    "nn/transformer.py": "_Layer._chain _Layer._transform",
    "spec/interpreter/compiler.py": "Compiler.code",
    "spec/interpreter/generators.py": "Generators._pausing",
    "spec/interpreter/targets.py": "Targets.store",
    "spec/tables/graphs.py": "_saved",
}

# The template is a constant of its module, whose fields are filled with numbers and names of nodes.
TEMPLATE = {
    "engine/inplace.py": "_refuse_untracked refuse_stale",
}

# One name, or one table, that the host itself put there.
KEPT = {
    "nn/containers.py": "_Row._renumber",
    "nn/holder.py": "Holder._forget",
    "nn/losses.py": "_Loss.__init__",
    "nn/module.py": "Module.__call__ Module.__init__ Module._hang",
    "nn/recurrent.py": "_Cell.extra_repr",
    "nn/shapes.py": "PairwiseDistance.__init__ _Pad.forward",
    "nn/state.py": "_put",
    "spec/costs/drawing.py": "_parameters",
    "spec/costs/layers.py": "_call_of_class.estimate call_of",
    "spec/interpreter/marks.py": "marks",
    "spec/models.py": "_tensors_of modules_of",
    "spec/show.py": "_weigh_modules",
    "spec/tables/graphs.py": "_held",
    "spec/tables/modules.py": "_member _members",
}

# Of a class or an instance of the program's own, in what it put there itself.
OWN = {
    "spec/enumerations.py": (
        "Enum.__repr__ Enum.__str__ EnumType.__call__ EnumType.__init__ EnumType.__iter__ _members_of "
        "_next_number _unique"
    ),
    "spec/members.py": "names",
    "spec/naming.py": "_items",
    "spec/objects.py": "declared",
    "spec/records.py": "_add_methods _field _fields_of _set dataclass note_abstract refuse_frozen",
    "spec/rows.py": "refuse_new row_of",
}

# Asked by the interpreter's attributes or the engine, which look at the name first.
ASKED = {
    "engine/packing.py": "_Packer.__getattr__",
    "nn/holder.py": "Holder.__delattr__ Holder.__getattr__ Holder.__setattr__",
    "spec/names.py": "_flags",
    "utils/data/dataloader.py": "DataLoader.__setattr__",
}

# Tells no more than that there is something of the name.
TOLD = {
    "nn/holder.py": "Holder.__dir__ Holder._check_name",
    "spec/attributes.py": "names place_of",
    "spec/kinds.py": "_renamed",
}

REVIEWED = (LISTED, LOADING, BEGUN, TEMPLATE, KEPT, OWN, ASKED, TOLD)
