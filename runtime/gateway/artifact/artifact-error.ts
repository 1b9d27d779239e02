/** A deployment that cannot be brought in: what of it is wrong, in words for whoever operates the gateway. */
export class ArtifactError extends Error {
  override readonly name = "ArtifactError";
}
