import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { BodyPace } from './body-pace.ts'

const MIB = 1_048_576
/** Creates a body of this size in MiB, in chunks. */
const bodyOf = (mib: number) => ({
  body: Readable.from(Array.from({ length: mib }, (_, i) => Buffer.alloc(MIB, i))),
  bytes: mib * MIB,
})
const never = new AbortController().signal

it('a paced body keeps its bytes', async () => {
  const chunks = ['some', ' ', 'text'].map((text) => Buffer.from(text))
  const read = new BodyPace().read('a', { body: Readable.from(chunks), bytes: 9 }, never)
  expect(await buffer(read)).toEqual(Buffer.from('some text'))
})

it('accounts take turns, so that a small body of one does not wait for large ones of another', async () => {
  const pace = new BodyPace()
  const done: string[] = []
  const read = async (name: string, owner: string, mib: number) => {
    await buffer(pace.read(owner, bodyOf(mib), never))
    done.push(name)
  }
  await Promise.all([read('large', 'a', 8), read('another', 'a', 8), read('small', 'b', 2)])
  expect(done).toEqual(['small', 'large', 'another'])
})

it('a body whose connection closes stops waiting', async () => {
  const pace = new BodyPace()
  const closed = new AbortController()
  const first = buffer(pace.read('a', bodyOf(2), never))
  const second = buffer(pace.read('a', bodyOf(64), closed.signal))
  closed.abort()
  expect((await second).length).toBeLessThan(64 * MIB)
  expect((await first).length).toBe(2 * MIB)
})
