/** Backup codes, shown once, to copy, save or print. Only this panel is printed. */
import { useEffect, useId, useRef } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'

type Props = { readonly codes: readonly string[]; readonly email: string; onKept(): void }

export function CodesPanel({ codes, email, onKept }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    heading.current?.focus()
    heading.current?.scrollIntoView({ block: 'center' })
  }, [])
  const whose = text.codesFile(email, location.host)
  const list = codes.join('\n')
  const save = () => saveText('scriptward-recovery-codes.txt', `${whose}\n\n${list}\n`)
  return (
    <section className="panel print" aria-labelledby={id}>
      <header>
        <h2 ref={heading} id={id} tabIndex={-1}>
          {text.codesTitle}
        </h2>
        <p className="hint">{text.codesIntro}</p>
        <p className="only-print">{whose}</p>
      </header>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="bar between">
        <div className="bar">
          <CopyButton value={list} label={text.copyAll} />
          <button type="button" onClick={save}>
            {text.download}
          </button>
          <button type="button" onClick={() => print()}>
            {text.print}
          </button>
        </div>
        <button type="button" className="main" onClick={onKept}>
          {text.codesSaved}
        </button>
      </div>
    </section>
  )
}
