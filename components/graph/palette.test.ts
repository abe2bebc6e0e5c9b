/**
 * The palette as it is in app/globals.css: can text on the states' colours be read, and can the states be told apart
 * by readers with the common colour vision deficiencies? Simulation after Machado, Oliveira and Fernandes (2009),
 * severity 1; distance in CIE Lab.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("../../app/globals.css", import.meta.url), "utf8");
const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];
type Rgb = [number, number, number];

const visions: Record<string, number[][]> = {
  "full colour vision": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function colour(name: string, theme: Theme): Rgb {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(css)?.[1] ?? "";
  const [light, dark] = value.match(/#[0-9a-f]{6}/g) ?? [];
  const hex = (theme === "dark" ? (dark ?? light) : light) ?? "";
  const channel = (at: number) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return [channel(1), channel(3), channel(5)];
}

function linear(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function seen([r, g, b]: Rgb, matrix: number[][]): Rgb {
  const row = (m: number[] = []) => Math.min(1, Math.max(0, (m[0] ?? 0) * r + (m[1] ?? 0) * g + (m[2] ?? 0) * b));
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a: Rgb, b: Rgb) => Math.hypot(...lab(a).map((value, i) => value - (lab(b)[i] ?? 0)));

const states = ["waiting", "ready", "running", "finished", "failed", "cancelled", "skipped", "migrating"];

describe.each(themes)("palette, %s theme", (theme) => {
  it.each(states)("text on a %s task can be read", (state) => {
    expect(contrast(colour(`state-${state}`, theme), colour(`on-${state}`, theme))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["ink", "muted", "faint", "thread", "danger", "caution", "good"])("%s can be read on every ground", (ink) => {
    for (const ground of ["paper", "surface", "sunken"]) {
      expect(contrast(colour(ink, theme), colour(ground, theme)), ground).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(Object.keys(visions))("the states can be told apart with %s", (vision) => {
    const matrix = visions[vision] ?? [];
    for (const [i, a] of states.entries()) {
      for (const b of states.slice(i + 1)) {
        const apart = distance(seen(colour(`state-${a}`, theme), matrix), seen(colour(`state-${b}`, theme), matrix));
        expect(apart, `${a} and ${b}`).toBeGreaterThan(20);
      }
    }
  });

  it("the four colours of the thesis differ in lightness", () => {
    const four = ["waiting", "ready", "running", "finished"].map((state) => luminance(colour(`state-${state}`, theme)));
    const sorted = four.sort((a, b) => a - b);
    for (let i = 1; i < sorted.length; i += 1) {
      expect(((sorted[i] ?? 0) + 0.05) / ((sorted[i - 1] ?? 0) + 0.05)).toBeGreaterThan(1.3);
    }
  });
});
