/**
 * T19: lifts two copies of one build with different watermarks, because a thief would publish a lifted copy.
 * Wherever the two lifted copies are identical, they cannot be traced.
 */

import { createRandom } from '../src/random.ts'
import type { Bytes } from '../src/syntax/ast.ts'
import type { Slot } from '../src/watermark.ts'
import type { Attack } from './attack.ts'
import { lift } from './lift/lifter.ts'

export const marks: Attack = {
  id: 'T19',
  name: 'watermark of lifted copies',
  async run(_, { code, copies = [code, code] }, host) {
    const [first, second] = [await lift(copies[0], host), await lift(copies[1], host)]
    const count = Math.max(first.lines.length, second.lines.length)
    const different = Array.from({ length: count }, (_, i) => first.lines[i] !== second.lines[i])
    const lines = different.filter((each) => each).length
    return {
      score: count === 0 ? 1 : lines / count,
      evidence: `${lines} of ${count} lifted lines differ, ${bytesApart(copies)} bytes did`,
    }
  },
}

function bytesApart([a, b]: readonly [Bytes, Bytes]): number {
  return [...a].filter((each, i) => each !== b[i]).length
}

/** Creates two copies of an output. In each copy, every slot is written or left unchanged at random. */
export function copiesOf(code: Bytes, slots: readonly Slot[]): readonly [Bytes, Bytes] {
  const random = createRandom(code.length, 'copies')
  const copy = () => {
    const bytes = Buffer.from(code, 'latin1')
    for (const slot of slots) {
      if (!random.chance(0.5)) continue
      for (const { at, text } of slot) bytes.write(text, at, 'latin1')
    }
    return bytes.toString('latin1')
  }
  return [copy(), copy()]
}
