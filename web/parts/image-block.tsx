/** An image from a session. Only types that no browser runs, and only bytes that came with the session. */
import { Visible } from "./visible.js";

const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp)$/;

type ImageProps = {
  readonly image: { readonly mimeType: string; readonly data: string };
  readonly alt: string;
};

export function ImageBlock({ image: { mimeType, data }, alt }: ImageProps) {
  if (IMAGE_TYPES.test(mimeType))
    return <img class="image" alt={alt} src={`data:${mimeType};base64,${data}`} />;
  return (
    <p class="faint xs">
      <Visible text={`Image of the type ${mimeType}, not shown`} isOneLine />
    </p>
  );
}
