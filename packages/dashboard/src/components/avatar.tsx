/** A generated picture that differs between projects and never changes for a project. */
const SIZE = 20
/** Color pairs that differ clearly in hue and brightness. */
const COLORS = [
  ['#1f6f8b', '#f2b84b'],
  ['#5b3fa0', '#f29fb8'],
  ['#1f7a4d', '#f4e08a'],
  ['#8b2f4f', '#f2b08a'],
  ['#2b4a9b', '#8fd3e8'],
  ['#6b5416', '#ecd9a0'],
  ['#0f6b6b', '#b6e3b0'],
  ['#7a3b12', '#f0a35e'],
  ['#3d4a5c', '#b9c6dd'],
  ['#a12a5a', '#f7c948'],
] as const
const SHAPES = [
  'M0 20 20 0v20z',
  'M0 0h10v20H0z',
  'M0 10h20v10H0z',
  'M0 20a20 20 0 0 1 20-20v20z',
  'M10 0 20 20H0z',
] as const
const DOTS = [
  [7, 7],
  [13, 6],
  [10, 10],
  [6, 13],
  [14, 14],
] as const

export function Avatar({ id }: { id: string }) {
  const n = digestOf(id)
  const [back, front] = COLORS[n % COLORS.length] ?? COLORS[0]
  const [x, y] = DOTS[(n >>> 16) % DOTS.length] ?? DOTS[0]
  return (
    <svg className="avatar" viewBox={`0 0 ${SIZE} ${SIZE}`} aria-hidden="true">
      <path fill={back} d="M0 0h20v20H0z" />
      <path fill={front} d={SHAPES[(n >>> 8) % SHAPES.length]} />
      <circle cx={x} cy={y} r="3.2" fill="#fff" />
    </svg>
  )
}

/** Uses FNV-1a with a final mix, because the IDs of one server share a prefix. */
function digestOf(id: string): number {
  let n = 0x811c9dc5
  for (const char of id) n = Math.imul(n ^ (char.codePointAt(0) ?? 0), 0x01000193)
  n = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d)
  return (n ^ (n >>> 13)) >>> 0
}
