/** Hands over the secret of a token, this one time. */
import type { Token } from '../access-api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Secret } from '../parts/secret.tsx'
import { text } from '../text.ts'

type Made = { readonly token: Token; readonly secret: string }

export function MadeDialog({ title, made, onClose }: { title: string; made: Made; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <strong>{made.token.name}</strong>
      </p>
      <Secret value={made.secret} />
      <div className="bar end">
        <button type="button" className="main" onClick={onClose}>
          {text.done}
        </button>
      </div>
    </Dialog>
  )
}
