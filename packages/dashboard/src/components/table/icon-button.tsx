import styles from './filter-bar.module.css'

type Props = { readonly label: string; readonly path: string; readonly onClick: () => void }

/** A button with an icon, for filter bars. */
export function IconButton({ label, path, onClick }: Props) {
  return (
    <button type="button" className={styles.icon} aria-label={label} title={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  )
}
