"""torch.nn: modules, parameters, functional."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import functional as functional, init as init, utils as utils
    from .modules.activation import (
        CELU as CELU,
        ELU as ELU,
        GELU as GELU,
        GLU as GLU,
        SELU as SELU,
        AlphaDropout as AlphaDropout,
        Dropout as Dropout,
        Dropout1d as Dropout1d,
        Dropout2d as Dropout2d,
        Dropout3d as Dropout3d,
        FeatureAlphaDropout as FeatureAlphaDropout,
        Hardshrink as Hardshrink,
        Hardsigmoid as Hardsigmoid,
        Hardswish as Hardswish,
        Hardtanh as Hardtanh,
        LeakyReLU as LeakyReLU,
        LogSigmoid as LogSigmoid,
        LogSoftmax as LogSoftmax,
        Mish as Mish,
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
    from .modules.attention import MultiheadAttention as MultiheadAttention
    from .modules.container import (
        DataParallel as DataParallel,
        ModuleDict as ModuleDict,
        ModuleList as ModuleList,
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
        UninitializedBuffer as UninitializedBuffer,
        UninitializedParameter as UninitializedParameter,
    )
    from .modules.linear import (
        Bilinear as Bilinear,
        Flatten as Flatten,
        Identity as Identity,
        Linear as Linear,
        Unflatten as Unflatten,
    )
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
        MarginRankingLoss as MarginRankingLoss,
        MSELoss as MSELoss,
        MultiLabelMarginLoss as MultiLabelMarginLoss,
        MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss,
        MultiMarginLoss as MultiMarginLoss,
        NLLLoss as NLLLoss,
        PoissonNLLLoss as PoissonNLLLoss,
        SmoothL1Loss as SmoothL1Loss,
        SoftMarginLoss as SoftMarginLoss,
        TripletMarginLoss as TripletMarginLoss,
        TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
    )
    from .modules.module import Module as Module
    from .modules.normalization import (
        BatchNorm1d as BatchNorm1d,
        BatchNorm2d as BatchNorm2d,
        BatchNorm3d as BatchNorm3d,
        GroupNorm as GroupNorm,
        InstanceNorm1d as InstanceNorm1d,
        InstanceNorm2d as InstanceNorm2d,
        InstanceNorm3d as InstanceNorm3d,
        LayerNorm as LayerNorm,
        LocalResponseNorm as LocalResponseNorm,
        RMSNorm as RMSNorm,
    )
    from .modules.parameter_containers import ParameterDict as ParameterDict, ParameterList as ParameterList
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
    from .modules.rearranging import (
        ChannelShuffle as ChannelShuffle,
        CircularPad1d as CircularPad1d,
        CircularPad2d as CircularPad2d,
        CircularPad3d as CircularPad3d,
        ConstantPad1d as ConstantPad1d,
        ConstantPad2d as ConstantPad2d,
        ConstantPad3d as ConstantPad3d,
        CosineSimilarity as CosineSimilarity,
        Fold as Fold,
        PairwiseDistance as PairwiseDistance,
        PixelShuffle as PixelShuffle,
        PixelUnshuffle as PixelUnshuffle,
        ReflectionPad1d as ReflectionPad1d,
        ReflectionPad2d as ReflectionPad2d,
        ReflectionPad3d as ReflectionPad3d,
        ReplicationPad1d as ReplicationPad1d,
        ReplicationPad2d as ReplicationPad2d,
        ReplicationPad3d as ReplicationPad3d,
        Unfold as Unfold,
        Upsample as Upsample,
        UpsamplingBilinear2d as UpsamplingBilinear2d,
        UpsamplingNearest2d as UpsamplingNearest2d,
        ZeroPad1d as ZeroPad1d,
        ZeroPad2d as ZeroPad2d,
        ZeroPad3d as ZeroPad3d,
    )
    from .modules.rnn import (
        GRU as GRU,
        LSTM as LSTM,
        RNN as RNN,
        GRUCell as GRUCell,
        LSTMCell as LSTMCell,
        RNNBase as RNNBase,
        RNNCell as RNNCell,
    )
    from .modules.sparse import Embedding as Embedding, EmbeddingBag as EmbeddingBag
    from .modules.transformer import (
        Transformer as Transformer,
        TransformerDecoder as TransformerDecoder,
        TransformerDecoderLayer as TransformerDecoderLayer,
        TransformerEncoder as TransformerEncoder,
        TransformerEncoderLayer as TransformerEncoderLayer,
    )
    from .parameter import Buffer as Buffer, Parameter as Parameter
else:
    from ..engine.offers import package_door as _package_door

    # A module is read when one of its names is first asked for.
    __getattr__, __dir__ = _package_door(
        __name__,
        {
            "modules.activation": (
                "CELU ELU GELU GLU SELU AlphaDropout Dropout Dropout1d Dropout2d Dropout3d "
                "FeatureAlphaDropout Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
                "LogSoftmax Mish PReLU ReLU ReLU6 RReLU Sigmoid SiLU Softmax Softmax2d Softmin Softplus "
                "Softshrink Softsign Tanh Tanhshrink Threshold"
            ),
            "modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
            "modules.attention": "MultiheadAttention",
            "modules.container": "DataParallel ModuleDict ModuleList Sequential",
            "modules.conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
            "modules.sparse": "Embedding EmbeddingBag",
            "functional": "",
            "init": "",
            "modules.lazy": (
                "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyLinear "
                "UninitializedBuffer UninitializedParameter LazyConvTranspose1d LazyConvTranspose2d "
                "LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d"
            ),
            "modules.linear": "Bilinear Flatten Identity Linear Unflatten",
            "modules.loss": (
                "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss CTCLoss GaussianNLLLoss "
                "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MarginRankingLoss MSELoss "
                "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss "
                "SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
            ),
            "modules.module": "Module",
            "modules.normalization": (
                "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d "
                "LayerNorm RMSNorm LocalResponseNorm"
            ),
            "parameter": "Buffer Parameter",
            "modules.parameter_containers": "ParameterDict ParameterList",
            "modules.pooling": (
                "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d AvgPool2d "
                "AvgPool3d MaxPool1d MaxPool2d MaxPool3d AdaptiveAvgPool3d AdaptiveMaxPool3d LPPool1d LPPool2d "
                "LPPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
            ),
            "modules.rnn": "GRU LSTM RNN GRUCell LSTMCell RNNBase RNNCell",
            "modules.rearranging": (
                "CircularPad1d CircularPad2d ConstantPad1d ConstantPad2d ConstantPad3d CosineSimilarity Fold "
                "PairwiseDistance PixelShuffle PixelUnshuffle ReflectionPad1d ReflectionPad2d ReplicationPad1d "
                "ReplicationPad2d Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d "
                "ZeroPad3d ChannelShuffle CircularPad3d ReflectionPad3d ReplicationPad3d"
            ),
            "modules.transformer": (
                "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer"
            ),
            "utils": "",
        },
    )
