/** Keeps, replaces or removes the logo. */
import { type ChangeEvent, useId, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { About, describedBy } from '../../components/fields/field.tsx'
import { bytes } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import type { Branding, Draft } from './branding-draft.ts'
import styles from './settings.module.css'

const MAX_BYTES = 65_536

export function LogoField({ saved, error }: { saved: Branding['logo']; error: string | undefined }) {
  const id = useId()
  const { watch, setValue } = useFormContext<Draft>()
  const [tooBig, setTooBig] = useState<string>()
  const [type, setType] = useState('image/png')
  const logo = watch('logo')
  const set = (value: string | null) => setValue('logo', value, { shouldDirty: true })
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (file === undefined) return
    setTooBig(file.size > MAX_BYTES ? text.settings.logoTooBig(bytes(file.size)) : undefined)
    if (file.size > MAX_BYTES) return
    setType(file.type)
    set(toBase64(await file.arrayBuffer()))
  }
  const source = sourceOf(logo, type, saved)
  const wrong = tooBig ?? error
  return (
    <div className="field">
      <span>{text.settings.logo}</span>
      <div className={styles.logo}>
        {source === undefined ? (
          <span className="hint">{text.settings.noLogo}</span>
        ) : (
          <img src={source} alt={text.settings.logoAlt} />
        )}
        <input
          id={id}
          className="unseen"
          type="file"
          accept="image/png,image/webp"
          {...describedBy(id, text.settings.logoHint, wrong)}
          onChange={choose}
        />
        <label htmlFor={id} className="button">
          {text.settings.chooseLogo}
        </label>
        {source !== undefined && (
          <button type="button" onClick={() => set(saved === null ? null : '')}>
            {text.settings.removeLogo}
          </button>
        )}
      </div>
      <About id={id} hint={text.settings.logoHint} error={wrong} />
    </div>
  )
}

function sourceOf(logo: string | null, type: string, saved: Branding['logo']): string | undefined {
  if (logo === null) return saved === null ? undefined : `..${saved.path}`
  return logo === '' ? undefined : `data:${type};base64,${logo}`
}

function toBase64(content: ArrayBuffer): string {
  return btoa(Array.from(new Uint8Array(content), (byte) => String.fromCharCode(byte)).join(''))
}
