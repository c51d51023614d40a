/** Frames of errors, as stored. */
import type { ErrorFrame } from './map-reports.ts'

/** The innermost frame with a source line, or else the innermost frame. */
export function placeOf(frames: readonly ErrorFrame[]): ErrorFrame | null {
  return frames.find(({ line }) => line !== null) ?? frames[0] ?? null
}

export function readFrames(stored: string): ErrorFrame[] {
  return JSON.parse(stored) as ErrorFrame[]
}

export function readPlace(stored: string | null): ErrorFrame | null {
  return stored === null ? null : (JSON.parse(stored) as ErrorFrame)
}
