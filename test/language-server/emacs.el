;; Drives Eglot over the built server, with the configuration of editor/README.md, and writes what came of it as JSON.

(require 'json)
(require 'yaml-mode)
(require 'eglot)
(load (getenv "SLUICE_CONFIGURATION"))
(setq eglot-sync-connect 60
      eglot-connect-timeout 60
      eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0)

(defun until (found)
  "What FOUND gives as soon as it gives something."
  (let (value)
    (while (not (setq value (funcall found))) (accept-process-output nil 0.1))
    value))

(defun messages ()
  "The texts of what is wrong in the buffer, as soon as there is something."
  ;; Flymake waits for a buffer to be displayed, which none is here.
  (vconcat (mapcar #'flymake-diagnostic-text (until (lambda () (flymake-start) (flymake-diagnostics))))))

(defun go-to (text back)
  (goto-char (point-min))
  (search-forward text)
  (backward-char back))

(defvar result nil)
(defun told (key value) (push (cons key value) result))

(find-file (getenv "SLUICE_FILE"))
(call-interactively 'eglot)
(told 'diagnostics (messages))
(go-to "uper" 0)
(replace-match "uppercase")
;; Eglot sends changes when somebody pauses.
(eglot--signal-textDocument/didChange)
(go-to "$name" 2)
(told 'hover
      (let ((shown (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
        (plist-get (plist-get shown :contents) :value)))
(eglot-rename "other")
(told 'renamed (buffer-string))
(go-to "$other." 0)
(let ((items (nth 2 (eglot-completion-at-point))))
  (told 'completion (vconcat (mapcar #'substring-no-properties (all-completions "" items)))))
(go-to "$other." 3)
(let* ((found (car (xref-backend-definitions 'eglot "other")))
       (place (xref-location-marker (xref-item-location found))))
  (told 'definition (line-number-at-pos place)))
(eglot-format-buffer)
(told 'formatted (buffer-string))
(find-file (getenv "SLUICE_MAPPING"))
(told 'mode (symbol-name major-mode))
(told 'mapping (messages))
(with-temp-file (getenv "SLUICE_RESULT") (insert (json-encode result)))
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs 0)
