// The keys of a case: one press is one action. They are dead while somebody types, with
// Ctrl, Alt or Cmd, and while a key is held down.
const TYPED = "textarea, select, input:not([type=range])";
const form = document.getElementById("verdict");
const sure = document.getElementById("sure");
let sent = false;
let used = true; // whether somebody was there since the last sign of life

const show = () => { document.getElementById("sure-shown").value = `${sure.value} %`; };

document.addEventListener("keydown", (event) => {
  used = true;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape") { document.activeElement.blur(); return; }
  if (event.target.matches(TYPED)) return;
  const step = { ArrowLeft: "stepDown", ArrowRight: "stepUp" }[event.key];
  if (sure && step && event.target !== sure) { sure[step](); show(); event.preventDefault(); return; }
  const place = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!place) return;
  event.preventDefault();
  if (event.repeat || sent) return;
  if (place.matches("textarea")) { place.focus(); return; }
  sent = true;
  place.click();
});
document.addEventListener("pointermove", () => { used = true; });
addEventListener("pageshow", () => { sent = false; });

if (form) {
  show();
  sure.addEventListener("input", show);
  const third = 1000 * Number(form.dataset.beat);
  let until = performance.now() + 3 * third;
  const lapse = () => { document.getElementById("lapsed").hidden = false; };
  setInterval(async () => {
    if (!used) { if (performance.now() > until) lapse(); return; }
    used = false;
    const body = new URLSearchParams({ claim: form.claim.value, token: form.token.value });
    const answer = await fetch(form.dataset.keep, { method: "POST", body }).catch(() => null); // away for a moment
    if (answer?.redirected) location.reload(); // the session has ended
    else if (answer?.status === 204) until = performance.now() + 3 * third;
    else if (answer && answer.status < 500) lapse();
  }, third);
}
