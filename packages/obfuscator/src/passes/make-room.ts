/**
 * Wraps a main chunk that has many locals in a function. Hosts allow 200 locals per function, and the
 * protection adds some locals to the main chunk.
 */

import { nodesAt } from '../syntax/nodes.ts'
import { definePass } from './pass.ts'

/** Number of locals that later passes may add to the main chunk. */
const ROOM = 45

export const makeRoom = definePass({
  name: 'make-room',
  summary: 'Moves a main chunk with many locals into a function.',
  settings: [],
  reads: [],
  writes: [],
  run(chunk, { capacityOf }) {
    if (capacityOf(chunk).hasLocals(chunk, ROOM)) return { chunk }
    const { at, body } = chunk
    const make = nodesAt(at)
    const main = { ...make.function(body), isVararg: true }
    const call = make.call(main, { kind: 'Vararg', at })
    return { chunk: { ...chunk, body: make.block([make.return(call)]) } }
  },
})
