// Powers as Go computes them: by repeated squaring of the mantissa. The last digits differ from those of `Math.pow`.

/** Returns `base` to the power of `exponent`. */
export function power(base: number, exponent: number): number {
  const magnitude = Math.abs(exponent);
  // Go handles the same values apart, as ECMAScript does. Only 1 to the power of infinity or NaN differs.
  if (base === 1) return 1;
  if (!Number.isFinite(base) || base === 0 || exponent === 0 || exponent === 1) return base ** exponent;
  if (magnitude === 0.5) return exponent < 0 ? 1 / Math.sqrt(base) : Math.sqrt(base);
  if (!(magnitude < 2 ** 63)) return base === -1 && !Number.isNaN(exponent) ? 1 : base ** exponent;
  const whole = Math.trunc(magnitude);
  const fraction = magnitude - whole;
  if (fraction !== 0 && base < 0) return Number.NaN;
  const isUp = fraction > 0.5;
  const start = fraction === 0 ? 1 : Math.exp((isUp ? fraction - 1 : fraction) * Math.log(base));
  const { mantissa, scale } = squared(base, isUp ? whole + 1 : whole, start);
  return exponent < 0 ? scaled(1 / mantissa, -scale) : scaled(mantissa, scale);
}

/** A number as `mantissa * 2 ** scale`. */
interface Scaled {
  readonly mantissa: number;
  readonly scale: number;
}

/** Returns `start * base ** whole`. */
function squared(base: number, whole: number, start: number): Scaled {
  let result = start;
  let scale = 0;
  let { mantissa: factor, scale: factorScale } = split(base);
  for (let rest = whole; rest > 0; rest = Math.floor(rest / 2)) {
    // A larger scale is infinity or zero, whatever follows.
    if (Math.abs(factorScale) > 4096) return { mantissa: result, scale: scale + factorScale };
    if (rest % 2 === 1) {
      result *= factor;
      scale += factorScale;
    }
    factor *= factor;
    factorScale *= 2;
    if (factor < 0.5) {
      factor += factor;
      factorScale--;
    }
  }
  return { mantissa: result, scale };
}

const view = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/** Splits a finite number, but zero, into a mantissa from 0.5 to 1 and a power of two. */
function split(value: number): Scaled {
  const isSubnormal = Math.abs(value) < 2 ** -1022;
  view.setFloat64(0, isSubnormal ? value * 2 ** 52 : value);
  const head = view.getUint16(0);
  // The exponent of 0.5 is stored as 1022.
  view.setUint16(0, (head & 0x800f) | (1022 << 4));
  const scale = ((head >> 4) & 0x7ff) - 1022;
  return { mantissa: view.getFloat64(0), scale: isSubnormal ? scale - 52 : scale };
}

/** Returns `value * 2 ** power`, rounded once. */
function scaled(value: number, power: number): number {
  const { mantissa, scale } = split(value);
  const exponent = scale + power;
  if (exponent > 1023) return mantissa * 2 ** 1023 * 2 ** Math.min(exponent - 1023, 1023);
  if (exponent < -1021) return mantissa * 2 ** -1021 * 2 ** Math.max(exponent + 1021, -1074);
  return mantissa * 2 ** exponent;
}
