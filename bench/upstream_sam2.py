"""SAM 2's network on images, for rows of upstream_models.json."""
import torch


def on_images(network):
    """The network, whose forward takes an image [B, 3, H, W], points [B, N, 2] and labels [B, N] and gives what the artifact's does.

    Upstream's class has no forward of its own. These are the calls of SAM2ImagePredictor, in set_image_batch and _predict, but for those that choose one or
    three of the four masks, and with the image's size in the place of the 1024 x 1024 to which the predictor stretches images.
    """

    def forward(image, points, labels):
        batch, _, height, width = image.shape
        prompts, decoder = network.sam_prompt_encoder, network.sam_mask_decoder
        prompts.input_image_size, prompts.image_embedding_size = (height, width), (height // 16, width // 16)
        _, maps, _, sizes = network._prepare_backbone_features(network.forward_image(image))
        maps[-1] = maps[-1] + network.no_mem_embed
        *finer, embedding = [each.permute(1, 2, 0).view(batch, -1, *size) for each, size in zip(maps, sizes)]
        sparse, dense = prompts(points=(points, labels), boxes=None, masks=None)
        low_res_masks, iou, _, score = decoder.predict_masks(embedding, prompts.get_dense_pe(), sparse, dense, False, finer)
        masks = torch.nn.functional.interpolate(low_res_masks, (height, width), mode="bilinear", align_corners=False)
        return {"masks": masks, "low_res_masks": low_res_masks, "iou": iou, "object_score": score}

    network.forward = forward
    return network
