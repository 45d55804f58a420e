"""torch.nn: modules, parameters, functional."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import functional as functional, grad as grad, init as init, modules as modules, utils as utils
    from .base.factory import factory_kwargs as factory_kwargs
    from .modules.activation import (
        CELU as CELU,
        ELU as ELU,
        GELU as GELU,
        GLU as GLU,
        SELU as SELU,
        Hardshrink as Hardshrink,
        Hardsigmoid as Hardsigmoid,
        Hardswish as Hardswish,
        Hardtanh as Hardtanh,
        LeakyReLU as LeakyReLU,
        LogSigmoid as LogSigmoid,
        LogSoftmax as LogSoftmax,
        Mish as Mish,
        MultiheadAttention as MultiheadAttention,
        PReLU as PReLU,
        ReLU as ReLU,
        ReLU6 as ReLU6,
        RReLU as RReLU,
        Sigmoid as Sigmoid,
        SiLU as SiLU,
        Softmax as Softmax,
        Softmax2d as Softmax2d,
        Softmin as Softmin,
        Softplus as Softplus,
        Softshrink as Softshrink,
        Softsign as Softsign,
        Tanh as Tanh,
        Tanhshrink as Tanhshrink,
        Threshold as Threshold,
    )
    from .modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
    from .modules.batchnorm import (
        BatchNorm1d as BatchNorm1d,
        BatchNorm2d as BatchNorm2d,
        BatchNorm3d as BatchNorm3d,
        SyncBatchNorm as SyncBatchNorm,
    )
    from .modules.channelshuffle import ChannelShuffle as ChannelShuffle
    from .modules.container import (
        DataParallel as DataParallel,
        ModuleDict as ModuleDict,
        ModuleList as ModuleList,
        ParameterDict as ParameterDict,
        ParameterList as ParameterList,
        Sequential as Sequential,
    )
    from .modules.conv import (
        Conv1d as Conv1d,
        Conv2d as Conv2d,
        Conv3d as Conv3d,
        ConvTranspose1d as ConvTranspose1d,
        ConvTranspose2d as ConvTranspose2d,
        ConvTranspose3d as ConvTranspose3d,
    )
    from .modules.distance import CosineSimilarity as CosineSimilarity, PairwiseDistance as PairwiseDistance
    from .modules.dropout import (
        AlphaDropout as AlphaDropout,
        Dropout as Dropout,
        Dropout1d as Dropout1d,
        Dropout2d as Dropout2d,
        Dropout3d as Dropout3d,
        FeatureAlphaDropout as FeatureAlphaDropout,
    )
    from .modules.flatten import Flatten as Flatten, Unflatten as Unflatten
    from .modules.fold import Fold as Fold, Unfold as Unfold
    from .modules.instancenorm import (
        InstanceNorm1d as InstanceNorm1d,
        InstanceNorm2d as InstanceNorm2d,
        InstanceNorm3d as InstanceNorm3d,
    )
    from .modules.lazy import (
        LazyBatchNorm1d as LazyBatchNorm1d,
        LazyBatchNorm2d as LazyBatchNorm2d,
        LazyBatchNorm3d as LazyBatchNorm3d,
        LazyConv1d as LazyConv1d,
        LazyConv2d as LazyConv2d,
        LazyConv3d as LazyConv3d,
        LazyConvTranspose1d as LazyConvTranspose1d,
        LazyConvTranspose2d as LazyConvTranspose2d,
        LazyConvTranspose3d as LazyConvTranspose3d,
        LazyInstanceNorm1d as LazyInstanceNorm1d,
        LazyInstanceNorm2d as LazyInstanceNorm2d,
        LazyInstanceNorm3d as LazyInstanceNorm3d,
        LazyLinear as LazyLinear,
    )
    from .modules.linear import Bilinear as Bilinear, Identity as Identity, Linear as Linear
    from .modules.loss import (
        BCELoss as BCELoss,
        BCEWithLogitsLoss as BCEWithLogitsLoss,
        CosineEmbeddingLoss as CosineEmbeddingLoss,
        CrossEntropyLoss as CrossEntropyLoss,
        CTCLoss as CTCLoss,
        GaussianNLLLoss as GaussianNLLLoss,
        HingeEmbeddingLoss as HingeEmbeddingLoss,
        HuberLoss as HuberLoss,
        KLDivLoss as KLDivLoss,
        L1Loss as L1Loss,
        LinearCrossEntropyLoss as LinearCrossEntropyLoss,
        MarginRankingLoss as MarginRankingLoss,
        MSELoss as MSELoss,
        MultiLabelMarginLoss as MultiLabelMarginLoss,
        MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss,
        MultiMarginLoss as MultiMarginLoss,
        NLLLoss as NLLLoss,
        NLLLoss2d as NLLLoss2d,
        PoissonNLLLoss as PoissonNLLLoss,
        SmoothL1Loss as SmoothL1Loss,
        SoftMarginLoss as SoftMarginLoss,
        TripletMarginLoss as TripletMarginLoss,
        TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
    )
    from .modules.module import Module as Module
    from .modules.normalization import (
        CrossMapLRN2d as CrossMapLRN2d,
        GroupNorm as GroupNorm,
        LayerNorm as LayerNorm,
        LocalResponseNorm as LocalResponseNorm,
        RMSNorm as RMSNorm,
    )
    from .modules.padding import (
        CircularPad1d as CircularPad1d,
        CircularPad2d as CircularPad2d,
        CircularPad3d as CircularPad3d,
        ConstantPad1d as ConstantPad1d,
        ConstantPad2d as ConstantPad2d,
        ConstantPad3d as ConstantPad3d,
        ReflectionPad1d as ReflectionPad1d,
        ReflectionPad2d as ReflectionPad2d,
        ReflectionPad3d as ReflectionPad3d,
        ReplicationPad1d as ReplicationPad1d,
        ReplicationPad2d as ReplicationPad2d,
        ReplicationPad3d as ReplicationPad3d,
        ZeroPad1d as ZeroPad1d,
        ZeroPad2d as ZeroPad2d,
        ZeroPad3d as ZeroPad3d,
    )
    from .modules.pixelshuffle import PixelShuffle as PixelShuffle, PixelUnshuffle as PixelUnshuffle
    from .modules.pooling import (
        AdaptiveAvgPool1d as AdaptiveAvgPool1d,
        AdaptiveAvgPool2d as AdaptiveAvgPool2d,
        AdaptiveAvgPool3d as AdaptiveAvgPool3d,
        AdaptiveMaxPool1d as AdaptiveMaxPool1d,
        AdaptiveMaxPool2d as AdaptiveMaxPool2d,
        AdaptiveMaxPool3d as AdaptiveMaxPool3d,
        AvgPool1d as AvgPool1d,
        AvgPool2d as AvgPool2d,
        AvgPool3d as AvgPool3d,
        FractionalMaxPool2d as FractionalMaxPool2d,
        FractionalMaxPool3d as FractionalMaxPool3d,
        LPPool1d as LPPool1d,
        LPPool2d as LPPool2d,
        LPPool3d as LPPool3d,
        MaxPool1d as MaxPool1d,
        MaxPool2d as MaxPool2d,
        MaxPool3d as MaxPool3d,
        MaxUnpool1d as MaxUnpool1d,
        MaxUnpool2d as MaxUnpool2d,
        MaxUnpool3d as MaxUnpool3d,
    )
    from .modules.rnn import (
        GRU as GRU,
        LSTM as LSTM,
        RNN as RNN,
        GRUCell as GRUCell,
        LSTMCell as LSTMCell,
        RNNBase as RNNBase,
        RNNCell as RNNCell,
        RNNCellBase as RNNCellBase,
    )
    from .modules.sparse import Embedding as Embedding, EmbeddingBag as EmbeddingBag
    from .modules.transformer import (
        Transformer as Transformer,
        TransformerDecoder as TransformerDecoder,
        TransformerDecoderLayer as TransformerDecoderLayer,
        TransformerEncoder as TransformerEncoder,
        TransformerEncoderLayer as TransformerEncoderLayer,
    )
    from .modules.upsampling import (
        Upsample as Upsample,
        UpsamplingBilinear2d as UpsamplingBilinear2d,
        UpsamplingNearest2d as UpsamplingNearest2d,
    )
    from .parameter import (
        Buffer as Buffer,
        Parameter as Parameter,
        UninitializedBuffer as UninitializedBuffer,
        UninitializedParameter as UninitializedParameter,
    )
else:
    from ..engine.offers import package_door as _package_door

    # A module is read when one of its names is first asked for.
    __getattr__, __dir__ = _package_door(
        __name__,
        {
            "_reduction": "",
            "base.factory": "factory_kwargs",
            "functional": "",
            "grad": "",
            "init": "",
            "modules": "",
            "modules.activation": (
                "CELU ELU GELU GLU SELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax "
                "Mish PReLU ReLU ReLU6 RReLU Sigmoid SiLU Softmax Softmax2d Softmin Softplus Softshrink Softsign "
                "Tanh Tanhshrink Threshold MultiheadAttention"
            ),
            "modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
            "modules.batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
            "modules.channelshuffle": "ChannelShuffle",
            "modules.container": "DataParallel ModuleDict ModuleList Sequential ParameterDict ParameterList",
            "modules.conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
            "modules.distance": "CosineSimilarity PairwiseDistance",
            "modules.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
            "modules.flatten": "Flatten Unflatten",
            "modules.fold": "Fold Unfold",
            "modules.instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
            "modules.lazy": (
                "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d "
                "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d "
                "LazyInstanceNorm3d LazyLinear"
            ),
            "modules.linear": "Bilinear Identity Linear",
            "modules.loss": (
                "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss CTCLoss GaussianNLLLoss "
                "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MarginRankingLoss MSELoss "
                "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d "
                "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
            ),
            "modules.module": "Module",
            "modules.normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
            "modules.padding": (
                "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
                "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d "
                "ZeroPad1d ZeroPad2d ZeroPad3d"
            ),
            "modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
            "modules.pooling": (
                "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
                "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d "
                "LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
            ),
            "modules.rnn": "GRU LSTM RNN GRUCell LSTMCell RNNBase RNNCell RNNCellBase",
            "modules.sparse": "Embedding EmbeddingBag",
            "modules.transformer": (
                "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer"
            ),
            "modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
            "parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter",
            "attention": "",
            "common_types": "",
            "parallel": "",
            "utils": "",
        },
    )
