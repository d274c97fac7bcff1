"""Asynchronous training with parameter servers. Each pod runs this file; TF_CONFIG tells it which part it plays:
the chief drives the training, workers compute, parameter servers hold the model, the evaluator watches its checkpoints.
"""

import os
import pathlib
import signal
import threading

# Keras 3 has no ParameterServerStrategy. Read when TensorFlow is imported.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np
import tensorflow as tf
import tf_keras

OUTPUT = pathlib.Path(os.environ.get("OUTPUT", "output"))  # on storage that all pods share
EPOCHS = int(os.environ.get("EPOCHS", "10"))
DONE = OUTPUT / "done"
BATCH = 64  # of each worker


def idle():
    """A pod of a StatefulSet that ends is started again, so a finished one waits until it is deleted."""
    print("training is done", flush=True)
    while True:
        signal.pause()


def make_dataset(_context=None):
    """Points in five classes; put your data here. Each worker shuffles for itself."""
    random = np.random.default_rng(seed=1)
    points = random.normal(size=(10_000, 16)).astype("float32")
    classes = np.argmax(points @ random.normal(size=(16, 5)), axis=1)
    return tf.data.Dataset.from_tensor_slices((points, classes)).shuffle(10_000).repeat().batch(BATCH)


def make_model():
    model = tf_keras.Sequential(
        [
            tf_keras.layers.Input(shape=(16,)),
            tf_keras.layers.Dense(32, activation="relu"),
            tf_keras.layers.Dense(5),
        ]
    )
    loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model


def serve(resolver):
    """A worker or a parameter server does what the chief says, for ever."""
    server = tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol=resolver.rpc_layer or "grpc",
    )
    # join() never looks at signals; waiting for a thread does.
    waiter = threading.Thread(target=server.join, daemon=True)
    waiter.start()
    waiter.join()


def evaluate():
    """Prints loss and accuracy of the checkpoints that it finds; it may skip some."""
    model = make_model()
    data = make_dataset().take(50)
    evaluator = tf_keras.utils.SidecarEvaluator(model, data, str(OUTPUT / "checkpoints"), max_evaluations=EPOCHS)
    evaluator.start()


def train(resolver):
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    with strategy.scope():
        model = make_model()
    callbacks = [
        # Where the chief or a parameter server dies, the chief goes on with the epoch that was interrupted.
        tf_keras.callbacks.BackupAndRestore(str(OUTPUT / "backup")),
        tf_keras.callbacks.ModelCheckpoint(str(OUTPUT / "checkpoints" / "epoch-{epoch}"), save_weights_only=True),
    ]
    data = tf_keras.utils.experimental.DatasetCreator(make_dataset)
    model.fit(data, epochs=EPOCHS, steps_per_epoch=100, callbacks=callbacks, verbose=2)
    model.save(str(OUTPUT / "model"))
    DONE.touch()


def main():
    # The first process of a container is spared by SIGTERM unless it asks for it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if DONE.exists():
        idle()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
    elif resolver.task_type == "evaluator":
        evaluate()
    else:
        train(resolver)
    idle()


if __name__ == "__main__":
    main()
