/** Decorative icons of the record page, always next to text. */
const PATHS = {
  run: 'M3.5 8.5l3 3 6-7',
  denied: 'M8 13.8A5.8 5.8 0 1 0 8 2.2a5.8 5.8 0 0 0 0 11.6zM4 12l8-8',
  crashed:
    'M8 1.8v4M8 10.2v4M1.8 8h4M10.2 8h4M3.8 3.8l2.6 2.6M9.6 9.6l2.6 2.6M12.2 3.8 9.6 6.4M6.4 9.6l-2.6 2.6',
  change: 'M10.5 3 13 5.5 6 12.5l-3.2.7.7-3.2z',
  expand: 'M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9',
  reset: 'M3 8a5 5 0 1 0 1.5-3.6M3 2.5v3h3',
} as const

export function RecordIcon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
