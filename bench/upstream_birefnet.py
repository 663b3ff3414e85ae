"""BiRefNet's network with one of its backbones, for rows of upstream_models.json."""
import config


def with_backbone(backbone, dim):
    """The network, whose forward gives the matte that inference.py makes of its last output.

    Users choose a backbone in the text of config.py, and with it the channels of its maps, which are multiples of `dim`. Each module of the network makes a
    configuration of its own, so the class itself is changed here.
    """
    read = config.Config.__init__

    def choose(self):
        read(self)
        self.bb = backbone
        # Twice a map's own channels: the backbone runs on half of the image, too.
        self.lateral_channels_in_collection = [16 * dim, 8 * dim, 4 * dim, 2 * dim]
        self.cxt = self.lateral_channels_in_collection[1:][::-1][-self.cxt_num:]

    config.Config.__init__ = choose
    from models.birefnet import BiRefNet

    network = BiRefNet(bb_pretrained=False)
    upstream = network.forward
    network.forward = lambda image: upstream(image)[-1].sigmoid()
    return network
