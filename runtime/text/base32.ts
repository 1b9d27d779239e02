const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes as Base32 with padding (RFC 4648, section 6). */
export function base32Encode(bytes: Uint8Array): string {
  let result = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      result += digits.charAt((held >> bits) & 31);
    }
  }
  if (bits > 0) result += digits.charAt((held << (5 - bits)) & 31);
  return result.padEnd(Math.ceil(result.length / 8) * 8, "=");
}

/** Decodes digits of Base32, without padding. All characters must be digits; bits left over are dropped. */
export function base32Decode(text: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of text) {
    held = ((held << 5) | digits.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return Uint8Array.from(bytes);
}
