import { expect, test } from 'vitest'
import { startBar } from './bar.ts'

function written(isTTY: boolean): string {
  let all = ''
  const bar = startBar({ isTTY, write: (text) => (all += text) })
  for (const share of [0, 0.004, 0.5, 0.501, 1]) bar.show('copying', share)
  if (!isTTY) bar.show('checking', 0)
  bar.end()
  return all
}

test('on a terminal, progress is a single line that updates in place and is removed at the end', () => {
  const line = (full: number, percent: number) =>
    `\r\x1b[2Kcopying ${'█'.repeat(full)}${'░'.repeat(30 - full)} ${percent}%`
  expect(written(true)).toBe(`${line(0, 0)}${line(15, 50)}${line(30, 100)}\r\x1b[2K`)
})

test('without a terminal, progress is one line per step', () => {
  expect(written(false)).toBe('copying\nchecking\n')
})
