import { text } from '../../messages/text.ts'
import type { Marker } from './code-mirror/props.ts'
import styles from './places.module.css'

/** Lists the errors, because marks in a long source are easy to miss. */
export function Places({
  markers,
  onShow,
}: {
  markers: readonly Marker[]
  onShow: (marker: Marker) => void
}) {
  if (markers.length === 0) return null
  return (
    <div className={styles.places} role="alert">
      <strong>{text.scripts.complaints(markers.length)}</strong>
      <ul>
        {markers.map((marker) => (
          <li key={`${marker.line}:${marker.column}:${marker.message}`}>
            <button type="button" className="link" onClick={() => onShow({ ...marker })}>
              {text.scripts.goTo(marker.line, marker.column)}
            </button>{' '}
            {marker.message}
          </li>
        ))}
      </ul>
    </div>
  )
}
