/** Chooses how long the old secret stays valid after a rotation, in milliseconds. */
import { text } from '../../messages/text.ts'

export function OverlapField({ value, onChange }: { value: number; onChange: (overlap: number) => void }) {
  return (
    <fieldset className="stack tight">
      <legend>{text.overlap}</legend>
      {text.overlaps.map(([ms, words]) => (
        <label className="check" key={ms}>
          <input type="radio" name="overlap" checked={ms === value} onChange={() => onChange(ms)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
