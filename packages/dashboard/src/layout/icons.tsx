/** Decorative icons of the sidebar, always next to a label. */
const PATHS = {
  overview: 'M2 9l6-6 6 6v5H2z',
  scripts: 'M5 4L1 8l4 4M11 4l4 4-4 4',
  users: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2 14c1-4 11-4 12 0',
  plans: 'M2 8V2h6l6 6-6 6zM5.5 4.5v1',
  variables: 'M5 2C2 2 4 8 1.5 8 4 8 2 14 5 14M11 2c3 0 1 6 3.5 6C12 8 14 14 11 14M8 5.5v5',
  sessions: 'M1 8h3l2-5 4 10 2-5h3',
  ads: 'M2 3h12v8H8l-4 3v-3H2z',
  webhooks: 'M6 10l4-4M5 6a3 3 0 115 2M11 10a3 3 0 11-5-2',
  statistics: 'M3 13V8m5 5V3m5 10V6',
  logs: 'M2 4h12M2 8h12M2 12h8',
  denials: 'M8 14A6 6 0 108 2a6 6 0 000 12zM4 4l8 8',
  bans: 'M8 1l6 2v5c0 4-3 6-6 7-3-1-6-3-6-7V3zM5 8h6',
  settings: 'M8 10.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM8 1v3m0 8v3M1 8h3m8 0h3',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM11 11l4 4',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
