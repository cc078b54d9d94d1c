// A file that is too large is told at its field; prices are told as a sentence.
const file = document.querySelector("input[data-most]");
file?.addEventListener("change", () => {
  const over = file.files[0]?.size > Number(file.dataset.most);
  file.setCustomValidity(over ? file.dataset.over : "");
  if (over) file.reportValidity();
});

const says = document.getElementById("says");
if (says) {
  const form = says.closest("form");
  const price = (name) => Number(form.elements[name].value.replace(",", "."));
  const say = () => {
    const looks = { missed: price("missed") / price("look"), alarm: price("alarm") / price("look") };
    const known = Object.values(looks).every((ratio) => Number.isFinite(ratio) && ratio > 0);
    const told = (ratio) => ratio.toLocaleString(document.documentElement.lang, { maximumSignificantDigits: 3 });
    says.textContent = known ? says.dataset.says.replace(/\[(missed|alarm)\]/g, (_, name) => told(looks[name])) : "";
  };
  form.addEventListener("input", say);
  say();
}
