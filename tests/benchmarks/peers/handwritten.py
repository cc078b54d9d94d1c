"""What users write by hand: pydantic in, pandas, a scikit-learn pipeline, FastAPI.

python handwritten.py PORT
"""

import sys

import pandas as pd
import uvicorn
from fastapi import FastAPI
from fit import pipeline  # beside this file: it is run as a script
from pydantic import BaseModel


class Instance(BaseModel):
    """One row."""

    feature_0: float
    feature_1: float
    feature_2: float
    feature_3: float
    feature_4: float
    feature_5: float
    feature_6: float
    feature_7: float


class Body(BaseModel):
    """A request."""

    instances: list[Instance]


class Answer(BaseModel):
    """Its answer."""

    predictions: list[int]


app = FastAPI()
model = pipeline()


@app.post("/predict")
def predict(body: Body) -> Answer:
    """Return the label of each row."""
    table = pd.DataFrame([one.model_dump() for one in body.instances])
    return Answer(predictions=model.predict(table).tolist())


if __name__ == "__main__":
    uvicorn.run(
        app, host="127.0.0.1", port=int(sys.argv[1]), http="httptools", access_log=False
    )
